// Numbers in other notations: 1.234,5 or 1D+13.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/text_decimal.hpp"
#include "io/text_number.hpp"

namespace foldline::io {

/// Throws InvalidArgument if decimal mark, thousands, separator and comment contradict each other.
void validate_spelling(const TextFormat& format);

/// Whether a character occurs in numbers of the format, so that it is no separator unless the format says so.
bool is_in_numbers(char c, const TextFormat& format);

/// Reads numbers in the format's notation. Other notations are rewritten as plain numbers with all digits, so
/// that there is still one rounding.
class NumberReader {
 public:
  NumberReader(ElementType type, const TextFormat& format);

  /// Reads all of `text` as a number, as a ParseNumber does.
  NumberStatus read(std::string_view text, std::byte* value) const {
    if (!is_plain_) return read_other(text, value);
    const NumberStatus status = parse_(text, value);
    return status == NumberStatus::not_a_number && !text.empty() ? read_other(text, value) : status;
  }
  /// The digits of a decimal; nothing if the text is anything else.
  std::optional<Decimal> decimal_of(std::string_view text) const;

 private:
  NumberStatus read_other(std::string_view text, std::byte* value) const;
  std::optional<std::string> respelled(std::string_view text) const;
  bool take_whole_part(std::string_view& text, std::string& to) const;
  bool take_thousands(std::string_view& text) const;
  void mark_exponent(std::string_view& text, std::string& to, bool has_point) const;

  ParseNumber parse_;
  char decimal_mark_;
  std::vector<std::string_view> thousands_;
  bool fortran_;
  bool is_plain_;  ///< plain numbers need no rewriting
};

}  // namespace foldline::io
