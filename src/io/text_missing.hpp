// Markers: fields that stand for a missing value.
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
  /// Whether a number, parsed to `value`, equals a marker.
  bool have_number(std::string_view text, const std::byte* value, const NumberReader& reader) const;
  /// Whether a text that is no number of the type is a marker.
  bool have(std::string_view text, const NumberReader& reader) const;

 private:
  /// A numeric marker. Different numbers may round to the same value: then their decimals decide.
  struct Number {
    std::optional<Decimal> decimal;  ///< nothing if it is infinite, NaN or hexadecimal
    std::vector<std::array<std::byte, 8>> values;
  };

  std::vector<std::string> words_;
  std::vector<Number> numbers_;
  std::size_t element_size_;
};

}  // namespace foldline::io
