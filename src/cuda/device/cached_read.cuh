// Reads that say whether what they read is to stay in the L2 cache.
#pragma once

#include <cstdint>

#include "cuda/device/asynchronous_copy.cuh"

namespace foldline::cuda {

/// Reads of 16 bytes that stay in the cache as others do, or leave it first. That is a word which goes with
/// them, so that none has a choice to make; before compute capability 8.0 there is no such word.
class CachedRead {
 public:
  explicit __device__ __forceinline__ CachedRead(bool stays) {
#if __CUDA_ARCH__ >= 800
    std::uint64_t normal, first;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    policy_ = stays ? normal : first;
#endif
  }

  /// Of what nobody writes meanwhile, after the wait for the launch before (as volatile, so that it stays
  /// there).
  __device__ __forceinline__ uint4 load(const void* from) const {
#if __CUDA_ARCH__ >= 800
    uint4 quad;
    asm volatile("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(quad.x), "=r"(quad.y), "=r"(quad.z), "=r"(quad.w)
                 : "l"(from), "l"(policy_));
    return quad;
#else
    return __ldg(static_cast<const uint4*>(from));
#endif
  }

  /// See asynchronous_copy.cuh.
  __device__ __forceinline__ void copy_to_shared(void* to, const void* from) const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "l"(policy_)
                 : "memory");
#else
    *static_cast<uint4*>(to) = load(from);
#endif
  }

 private:
  std::uint64_t policy_ = 0;
};

}  // namespace foldline::cuda
