// The part of the input that a block sums.
#pragma once

#include <cstdint>

namespace foldline::ladder::reduce {

/// `max_elements` elements from `first` on, or what is left of n.
__device__ inline int part_size(std::int64_t n, std::int64_t first, int max_elements) {
  return n - first < max_elements ? static_cast<int>(n - first) : max_elements;
}

}  // namespace foldline::ladder::reduce
