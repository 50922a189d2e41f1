// Terms for which plain additions in a format of so many bits just suffice, or just do not.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "nccl/element_sum.hpp"

namespace generators {

/// Terms whose sum is a unit beside halfway between two numbers: many as large as they can be, and two small
/// ones that differ by a unit. The sum of the magnitudes has `bits` bits, in units, if the number of terms is
/// a power of two or little less: of 54, plain additions of doubles lose the unit, and of 25 those of floats.
/// The significands of the small ones are not less than the others', since kernels compare whole magnitudes
/// instead of exponents. At least 7 terms; `random` has bits().
template <class T, class Random>
std::vector<double> terms_beside_halfway(int count, int bits, Random& random) {
  using Format = foldline::nccl::TermFormat<T>;
  constexpr int precision = Format::format.precision;
  const std::int64_t least = std::int64_t{1} << (precision - 1);
  std::vector<std::int64_t> large(static_cast<std::size_t>(count - 2));
  std::int64_t sum = 0;
  for (std::int64_t& significand : large) {
    significand =
        2 * least - 4 - static_cast<std::int64_t>(random.bits() % static_cast<std::uint64_t>(least / 8));
    sum += significand;
  }
  const std::int64_t step = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(sum)) - precision);
  std::int64_t excess = (sum + step / 2) % step;
  for (std::int64_t& significand : large) {
    const std::int64_t taken = std::min(excess, significand - least);
    significand -= taken;
    excess -= taken;
  }
  // Halves have room for this only from their smallest numbers up.
  const int unit = Format::format.precision == 11 ? Format::format.min_exponent : 0;
  const int distance = bits - precision - foldline::nccl::ceil_log2(count);
  std::vector<double> values;
  for (const std::int64_t significand : large)
    values.push_back(std::ldexp(static_cast<double>(significand), unit + distance));
  const double sign = (random.bits() & 1) != 0 ? 1 : -1;
  values.push_back(std::ldexp(sign * static_cast<double>(2 * least - 3), unit));
  values.push_back(std::ldexp(-sign * static_cast<double>(2 * least - 4), unit));
  return values;
}

}  // namespace generators
