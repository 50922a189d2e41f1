// The unrounded result of a kernel.
#pragma once

#include <cstdint>

#include "arithmetic/limbs.hpp"

namespace foldline::cuda {

/// An exact sum: the sum of word[i] * 2^(exponent + 32 i), i in [0, words), and the counts of NaN, +inf and
/// -inf terms.
struct SumWords {
  std::int64_t special[3];
  std::int32_t exponent, words;
  std::int64_t word[ProductLimbs::count];
};

/// The sums in the kernels' order: values; magnitudes; squares or products. Only those that the operation
/// needs are valid.
inline constexpr int max_sums = 3;
struct KernelResult {
  SumWords sum[max_sums];
  std::int64_t lowest_key, highest_key;
  std::int32_t only_negative_zeros;
};

}  // namespace foldline::cuda
