#include "io/text_decimal.hpp"

#include "io/text_scan.hpp"

namespace foldline::io {

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal result;
  result.negative = take_sign(text);
  const std::string_view whole = take_decimal_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_decimal_digits(text);
  }
  const std::optional<std::int64_t> exponent = read_exponent(text, 'e');
  if ((whole.empty() && fraction.empty()) || !exponent) return std::nullopt;
  result.digits.append(whole).append(fraction);
  const std::size_t first = result.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    result.digits.clear();
    return result;
  }
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  result.digits.erase(0, first);
  result.exponent = *exponent + static_cast<std::int64_t>(whole.size()) - static_cast<std::int64_t>(first);
  return result;
}

std::strong_ordering compare_magnitudes(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) return a.digits.size() <=> b.digits.size();
  if (a.exponent != b.exponent) return a.exponent <=> b.exponent;
  return a.digits <=> b.digits;  // fractions compare as strings
}

}  // namespace foldline::io
