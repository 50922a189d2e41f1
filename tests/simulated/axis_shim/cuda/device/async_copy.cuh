// Copies to shared memory that the simulator makes at once.
#pragma once

#include <cstring>

namespace foldline::cuda {

template <int Bytes>
__device__ __forceinline__ void copy_to_shared(void* to, const void* from) {
  std::memcpy(to, from, Bytes);
}
__device__ __forceinline__ void commit_group() {}
template <int Left>
__device__ __forceinline__ void wait_for_groups() {}

}  // namespace foldline::cuda
