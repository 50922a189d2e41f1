// Parts common to all numbers in text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foldline::io {

inline std::string_view without_blanks(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// Removes a leading sign and returns whether it was a minus.
inline bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

/// Removes leading decimal digits and returns them.
inline std::string_view take_decimal_digits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

/// Reads all of `text` as an exponent: nothing, which is 0, or the mark (in either case), a sign and decimal
/// digits. Values are kept within +-2^40: far beyond every type, and what a text's own length can make up
/// for.
inline std::optional<std::int64_t> read_exponent(std::string_view text, char mark) {
  if (text.empty()) return 0;
  if ((text.front() | 0x20) != mark) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  const std::string_view digits = take_decimal_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) value = std::min(value * 10 + (c - '0'), std::int64_t{1} << 40);
  return negative ? -value : value;
}

}  // namespace foldline::io
