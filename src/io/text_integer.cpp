#include "io/text_integer.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "io/text_decimal.hpp"
#include "io/text_scan.hpp"

namespace foldline::io {
namespace {

/// Reads all of `digits`.
WrittenInteger read_digits(std::string_view digits, bool negative, int base) {
  WrittenInteger result{.status = NumberStatus::number, .negative = negative};
  const char *const first = digits.data(), *const last = first + digits.size();
  const auto [end, error] = std::from_chars(first, last, result.magnitude, base);
  if (end != last || error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) result.status = NumberStatus::out_of_range;
  return result;
}

WrittenInteger integer_of(Decimal decimal) {
  if (decimal.digits.empty()) return {.status = NumberStatus::number};
  constexpr std::int64_t most_digits = 20;  // of 2^64 - 1
  if (static_cast<std::int64_t>(decimal.digits.size()) > decimal.exponent)
    return {.status = NumberStatus::not_an_integer};
  if (decimal.exponent > most_digits) return {.status = NumberStatus::out_of_range};
  decimal.digits.resize(static_cast<std::size_t>(decimal.exponent), '0');
  return read_digits(decimal.digits, decimal.negative, 10);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
}

}  // namespace

WrittenInteger read_integer(std::string_view text) {
  if (std::optional<Decimal> decimal = read_decimal(text)) return integer_of(std::move(*decimal));
  const bool negative = take_sign(text);
  if (!text.starts_with("0x") && !text.starts_with("0X")) return {};
  return read_digits(text.substr(2), negative, 16);
}

std::optional<bool> read_truth_value(std::string_view text) {
  if (equals_ignoring_case(text, "true")) return true;
  if (equals_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

}  // namespace foldline::io
