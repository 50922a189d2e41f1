// What a kernel hands over: integers, to be rounded by whoever asked.
#pragma once

#include <cstdint>

#include "arithmetic/limbs.hpp"

namespace foldline::cuda {

/// An exact sum: word[i] * 2^(exponent + 32 i), i in [0, words), and how many terms were NaN, +inf and -inf.
struct SumWords {
  std::int64_t special[3];
  std::int32_t exponent, words;
  std::int64_t word[ProductLimbs::count];
};

/// The sums in the order in which kernels have them: values, magnitudes, squares or products; those that an
/// operation needs.
inline constexpr int max_sums = 3;
struct KernelResult {
  SumWords sum[max_sums];
  std::int64_t lowest_key, highest_key;
  std::int32_t only_negative_zeros;
};

}  // namespace foldline::cuda
