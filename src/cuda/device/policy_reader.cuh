// 16-byte loads with an L2 eviction policy chosen at run time.
#pragma once

#include <cstdint>

#include "cuda/device/async_copy.cuh"

namespace foldline::cuda {

/// The policy is an operand of the load, so that choosing it costs no branch. Before compute capability 8.0
/// there is no such operand.
class PolicyReader {
 public:
  explicit __device__ __forceinline__ PolicyReader(bool keep_in_l2) {
#if __CUDA_ARCH__ >= 800
    std::uint64_t normal, first;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    policy_ = keep_in_l2 ? normal : first;
#endif
  }

  /// Through the read-only path: nobody may write the data meanwhile. Volatile, so that the compiler does not
  /// move it before the wait for the previous launch.
  __device__ __forceinline__ uint4 load(const void* from) const {
#if __CUDA_ARCH__ >= 800
    uint4 vec16;
    asm volatile("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(vec16.x), "=r"(vec16.y), "=r"(vec16.z), "=r"(vec16.w)
                 : "l"(from), "l"(policy_));
    return vec16;
#else
    return __ldg(static_cast<const uint4*>(from));
#endif
  }

  /// See async_copy.cuh.
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
