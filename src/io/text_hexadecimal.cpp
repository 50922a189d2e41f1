#include "io/text_hexadecimal.hpp"

#include <algorithm>
#include <bit>

#include "io/text_scan.hpp"

namespace foldline::io {
namespace {

/// The value of a hexadecimal digit; none if it is something else.
std::optional<std::uint64_t> digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// Appends leading digits to the significand, each worth 2^-shift of the one before it in front of the point,
/// and returns whether there were any.
bool take_digits(std::string_view& text, Hexadecimal& number, int shift) {
  const std::size_t size = text.size();
  for (; !text.empty(); text.remove_prefix(1)) {
    const std::optional<std::uint64_t> digit = digit_value(text.front());
    if (!digit) break;
    if (number.significand < std::uint64_t{1} << 60) {
      number.significand = number.significand << 4 | *digit;
      number.exponent -= shift;
    } else {
      number.inexact |= *digit != 0;
      number.exponent += 4 - shift;
    }
  }
  return text.size() != size;
}

}  // namespace

std::optional<Hexadecimal> read_hexadecimal(std::string_view text) {
  Hexadecimal result;
  result.negative = take_sign(text);
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  bool any = take_digits(text, result, 0);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    any |= take_digits(text, result, 4);
  }
  const std::optional<std::int64_t> exponent = read_exponent(text, 'p');
  if (!any || !exponent) return std::nullopt;
  result.exponent += *exponent;
  if (result.inexact) result.significand |= 1;
  return result;
}

std::uint64_t round_to_bits(const Hexadecimal& number, int exponent_bits, int fraction_bits) {
  if (number.significand == 0) return 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  const std::int64_t bias = (std::int64_t{1} << (exponent_bits - 1)) - 1;
  const std::int64_t leading =
      number.exponent + static_cast<std::int64_t>(std::bit_width(number.significand)) - 1;
  if (leading > bias) return infinity;
  const std::int64_t binade = std::max(leading, 1 - bias);  // subnormals share the lowest one
  const std::int64_t shift = binade - fraction_bits - number.exponent;
  if (shift > 64) return 0;  // less than half of the smallest number
  std::uint64_t kept = 0;
  if (shift <= 0) {
    kept = number.significand << -shift;
  } else {
    kept = shift == 64 ? 0 : number.significand >> shift;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t lost = number.significand & (half | (half - 1));
    if (lost > half || (lost == half && kept % 2 != 0)) ++kept;
  }
  // The leading bit of a normal number, and a carry, add to the exponent by themselves.
  const auto field = static_cast<std::uint64_t>(binade + bias - 1);
  return std::min((field << fraction_bits) + kept, infinity);
}

}  // namespace foldline::io
