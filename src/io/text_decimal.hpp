// Decimals as written, for the few decisions that need every digit.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foldline::io {

/// The number (-1)^negative * 0.d1 d2 d3... * 10^exponent: `digits` has no zero at either end; zero has none
/// at all, and exponent 0.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

/// Reads all of `text`: a sign, digits with or without a point, an exponent; nothing if it is anything else.
std::optional<Decimal> read_decimal(std::string_view text);

/// Compares magnitudes.
std::strong_ordering compare_magnitudes(const Decimal& a, const Decimal& b);

}  // namespace foldline::io
