// Which fields stand for a value that is not there.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/text_decimal.hpp"
#include "io/text_spelling.hpp"

namespace foldline::io {

class MissingMarkers {
 public:
  MissingMarkers(const TextFormat& format, const NumberReader& reader);

  /// Whether numbers can be markers.
  bool have_numbers() const { return !numbers_.empty(); }
  /// Whether a number, read to `value`, has the value of a marker.
  bool have_number(std::string_view text, const std::byte* value, const NumberReader& reader) const;
  /// Whether a text that is no number of the type is a marker.
  bool have(std::string_view text, const NumberReader& reader) const;

 private:
  /// A marker that is a number. Another number may be rounded to the same value: then the decimals tell.
  struct Number {
    std::optional<Decimal> decimal;  ///< none: infinite, not a number, or hexadecimal
    std::vector<std::array<std::byte, 8>> values;
  };

  std::vector<std::string> words_;
  std::vector<Number> numbers_;
  std::size_t element_size_;
};

}  // namespace foldline::io
