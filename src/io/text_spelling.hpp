// Numbers as other programs and countries write them: 1.234,5 or 1D+13.
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

/// Whether a character is part of numbers as the format has them, so that it does not separate fields unless
/// the format says so.
bool is_in_numbers(char c, const TextFormat& format);

/// Reads numbers that are written as a format says. What is no plain number is rewritten as one, with all of
/// its digits, so that there is still one rounding.
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
  bool is_plain_;  ///< every plain number means what it says
};

}  // namespace foldline::io
