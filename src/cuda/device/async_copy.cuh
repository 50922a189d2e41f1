// cp.async: copies from global to shared memory, tracked in groups.
#pragma once

#include <cstdint>

namespace foldline::cuda {

__device__ __forceinline__ unsigned shared_address(const void* memory) {
  return static_cast<unsigned>(__cvta_generic_to_shared(memory));
}

/// Copies `Bytes` (8 or 16); bytes from `valid` on are set to zero. Both addresses are multiples of `Bytes`.
/// Before compute capability 8.0 the copy is synchronous.
template <int Bytes>
__device__ __forceinline__ void copy_to_shared(void* to, const void* from, int valid = Bytes) {
  static_assert(Bytes == 8 || Bytes == 16);
#if __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "r"(valid)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "r"(valid)
                 : "memory");
#else
  for (int i = 0; i < Bytes; i += 4)
    *reinterpret_cast<int*>(static_cast<char*>(to) + i) =
        i < valid ? *reinterpret_cast<const int*>(static_cast<const char*>(from) + i) : 0;
#endif
}

/// Copies 16 bytes to an address in shared memory.
__device__ __forceinline__ void copy_to_shared_address(unsigned to, const void* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
#else
  const int4 bytes = *static_cast<const int4*>(from);
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(bytes.x), "r"(bytes.y), "r"(bytes.z), "r"(bytes.w)
               : "memory");
#endif
}

/// Commits the copies issued since the last call as a group.
__device__ __forceinline__ void commit_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Left` of the thread's groups are pending.
template <int Left>
__device__ __forceinline__ void wait_for_groups() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

}  // namespace foldline::cuda
