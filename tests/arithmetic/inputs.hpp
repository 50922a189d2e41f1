// Numbers that find mistakes, from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace inputs {

inline constexpr std::array formats = {foldline::format_of_double, foldline::format_of_float,
                                       foldline::format_of_half, foldline::format_of_bfloat16};

/// splitmix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  /// In [first, last].
  int between(int first, int last);
  bool coin() { return (bits() & 1) != 0; }

  /// Of any length, often all ones, a power of two, or one beside it.
  std::uint64_t word();
  foldline::Uint128 wide_word();
  /// Any finite double whose exponent field is in [first, last]; often the largest or smallest significand.
  double finite(int first = 0, int last = foldline::infinite_field - 1);

 private:
  std::uint64_t state_;
};

/// Vectors of finite doubles: of all exponents, subnormal, near the largest of one sign, neighbours that
/// cancel up to the last bit, and a huge one beside tiny ones.
constexpr int kinds = 5;
std::vector<double> vector(Random& random, int kind, int size);

}  // namespace inputs
