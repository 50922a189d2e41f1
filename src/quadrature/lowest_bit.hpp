#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace foldline::quadrature {

/// 2^result is the largest power of two of which a finite x other than 0 is a multiple.
inline int lowest_bit(double x) {
  int exponent = 0;
  const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(significand));
}

}  // namespace foldline::quadrature
