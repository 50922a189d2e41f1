#include "results/decimal.hpp"

#include <vector>

#include "arithmetic/floating_point.hpp"

namespace foldline {

namespace {

constexpr std::uint32_t billion = 1000000000;

/// A natural number in base 10^9, lowest digit first.
using Decimal = std::vector<std::uint32_t>;

/// number * factor + addend
void multiply_add(Decimal& number, std::uint64_t factor, std::uint64_t addend) {
  for (std::uint32_t& digit : number) {
    addend += digit * factor;  // < 10^9 * 2^32 + 2^63 / 10^9 ...
    digit = static_cast<std::uint32_t>(addend % billion);
    addend /= billion;
  }
  for (; addend != 0; addend /= billion) number.push_back(static_cast<std::uint32_t>(addend % billion));
}

}  // namespace

std::string decimal_digits(bool negative, const std::uint32_t* digit, int size, int exponent) {
  if (size == 0) return "0";
  Decimal number;
  for (int i = size - 1; i >= 0; --i) multiply_add(number, std::uint64_t{1} << 32, digit[i]);
  int power_of_two = exponent;
  for (; power_of_two >= 31; power_of_two -= 31) multiply_add(number, std::uint64_t{1} << 31, 0);
  for (; power_of_two > 0; --power_of_two) multiply_add(number, 2, 0);
  // n / 2^k = n 5^k / 10^k
  const int places = exponent < 0 ? -exponent : 0;
  int power_of_five = places;
  for (; power_of_five >= 13; power_of_five -= 13) multiply_add(number, 1220703125, 0);
  for (; power_of_five > 0; --power_of_five) multiply_add(number, 5, 0);

  std::string text;
  for (std::uint32_t rest : number) {
    for (int k = 0; k < 9; ++k, rest /= 10) text += static_cast<char>('0' + rest % 10);
  }
  // The lowest digit is first: pads, drops zeros at both ends, sets the point and reverses.
  while (text.size() <= static_cast<std::size_t>(places)) text += '0';
  while (text.size() > static_cast<std::size_t>(places) + 1 && text.back() == '0') text.pop_back();
  std::size_t trailing = 0;
  while (trailing < static_cast<std::size_t>(places) && text[trailing] == '0') ++trailing;
  std::string result = negative ? "-" : "";
  for (std::size_t i = text.size(); i-- > trailing;) {
    result += text[i];
    if (i == static_cast<std::size_t>(places) && i > trailing) result += '.';
  }
  return result;
}

std::string special_name(double value) {
  if ((bits_of(value) & ~sign_bit) != infinity_bits) return "nan";
  return (bits_of(value) & sign_bit) != 0 ? "-inf" : "inf";
}

}  // namespace foldline
