// Kernels whose threads go through many items, each by itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

inline constexpr int item_threads = 256;

/// The items of a thread: `for (std::int64_t i = first_item(); i < items; i += item_step())`.
__device__ __forceinline__ std::int64_t first_item() {
  return std::int64_t{blockIdx.x} * item_threads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t item_step() { return std::int64_t{gridDim.x} * item_threads; }

/// Launches such a kernel for at least one item; `doing` names the action in error messages.
template <class... Parameters, class... Arguments>
void launch_for_items(void (*kernel)(Parameters...), std::int64_t items, cudaStream_t stream,
                      const char* doing, Arguments... arguments) {
  constexpr std::int64_t most_blocks = 1 << 16;
  const dim3 blocks(static_cast<unsigned>(std::min((items - 1) / item_threads + 1, most_blocks)));
  void* addresses[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), blocks, dim3(item_threads), addresses, 0,
                         stream),
        doing);
}

}  // namespace foldline::cuda
