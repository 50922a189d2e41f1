// The bulk copies of compute capability 9.0 between global and shared memory, the barriers that they arrive
// at, and words of 128 bits that travel whole. (PTX ISA, "Data Movement and Conversion", "mbarrier".)
#pragma once

#include <cstdint>

#include "cuda/device/asynchronous_copy.cuh"

namespace foldline::cuda {

/// A barrier in shared memory; its phases alternate between parity 0 and 1.
struct Barrier {
  std::uint64_t state;

  __device__ __forceinline__ void init(unsigned arrivals);
  __device__ __forceinline__ void arrive();
  /// Arrives, and has the phase wait for so many bytes of copies too.
  __device__ __forceinline__ void arrive_expecting(unsigned bytes);
  __device__ __forceinline__ void wait(unsigned parity);
};

#if __CUDA_ARCH__ >= 900

__device__ __forceinline__ void Barrier::init(unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state)), "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void Barrier::arrive() {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state)) : "memory");
}
__device__ __forceinline__ void Barrier::arrive_expecting(unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void Barrier::wait(unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(shared_address(&state)), "r"(parity)
        : "memory");
  } while (done == 0);
}

/// So that bulk copies see the barriers that were made.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// What is read through it stays in the L2 cache longer than what is written: without, 3 % slower. (Read so
/// that it leaves first: 2^28 int64 8 % slower, though 2^22 doubles 2 % faster.)
__device__ __forceinline__ std::uint64_t policy_to_keep() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// Starts a copy whose bytes, a multiple of 16 at multiples of 16, arrive at the barrier.
__device__ __forceinline__ void bulk_load(void* target, const void* source, unsigned bytes, Barrier& barrier,
                                          std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
      "[%3], "
      "%4;" ::"r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(&barrier.state)), "l"(policy)
      : "memory");
}
/// What is stored leaves the L2 cache first: 2^22 int64 take 20.9 us instead of 21.6, 2^24 floats 48.9
/// instead of 49.7; of more it makes no difference.
__device__ __forceinline__ void bulk_store(void* target, const void* source, unsigned bytes) {
  asm volatile(
      "{\n\t.reg .b64 policy;\n\tcreatepolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, policy;\n\t}" ::"l"(target),
      "r"(shared_address(source)), "r"(bytes)
      : "memory");
}
/// The stores of this thread since the last time are a group, perhaps an empty one.
__device__ __forceinline__ void close_bulk_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all groups but the last one have read what they store.
__device__ __forceinline__ void wait_for_reads_but_last() {
  asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}
/// Waits until all have, as a block must before it ends; that they are written, the kernel's end waits for.
__device__ __forceinline__ void wait_for_reads() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
/// So that bulk stores see what this thread wrote to shared memory.
__device__ __forceinline__ void publish_to_bulk_stores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// 16 bytes at a multiple of 16, written and read as a whole. (Read as volatile: of relaxed loads ptxas 13.0
/// loads only the words that are looked at, one by one, which may then be of different stores.)
__device__ __forceinline__ void store_whole(void* target, std::uint64_t low, std::uint64_t high) {
  asm volatile(
      "{\n\t.reg .b128 t;\n\tmov.b128 t, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], t;\n\t}" ::"l"(target),
      "l"(low), "l"(high)
      : "memory");
}
__device__ __forceinline__ void load_whole(const void* source, std::uint64_t& low, std::uint64_t& high) {
  asm volatile("{\n\t.reg .b128 t;\n\tld.volatile.global.b128 t, [%2];\n\tmov.b128 {%0, %1}, t;\n\t}"
               : "=l"(low), "=l"(high)
               : "l"(source)
               : "memory");
}

#endif

}  // namespace foldline::cuda
