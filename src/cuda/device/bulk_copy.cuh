// Bulk copies between global and shared memory, mbarriers, and indivisible 128-bit loads and stores (compute
// capability 9.0; PTX ISA, "Data Movement and Conversion", "mbarrier").
#pragma once

#include <cstdint>

#include "cuda/device/async_copy.cuh"
#include "cuda/device/block.cuh"

namespace foldline::cuda {

/// A policy for testing with racecheck. A warp arrives at the barriers of pipelines through one lane, after
/// __syncwarp(), which orders the writes of the others. racecheck (CUDA 13.0 and 13.5) does not follow that
/// and reports hazards between those writes and reads behind the barrier. With this macro every lane arrives.
#ifdef FOLDLINE_EVERY_LANE_ARRIVES
inline constexpr bool every_lane_arrives = true;
#else
inline constexpr bool every_lane_arrives = false;
#endif
inline constexpr unsigned arrivals_per_warp = every_lane_arrives ? 32 : 1;

/// An mbarrier in shared memory. Its phases alternate between parity 0 and 1.
struct Barrier {
  std::uint64_t state;

  __device__ __forceinline__ void init(unsigned arrivals);
  __device__ __forceinline__ void arrive();
  /// By a whole warp: the given lane arrives, or every lane.
  __device__ __forceinline__ void arrive_for_warp(int in_lane);
  /// Arrives, and adds `bytes` of pending copies to the phase.
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

__device__ __forceinline__ void Barrier::arrive_for_warp(int in_lane) {
  if (every_lane_arrives || lane() == in_lane) arrive();
}

/// Makes initialised barriers visible to bulk copies.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// A policy that keeps what is loaded in the L2 cache longer than what is stored.
__device__ __forceinline__ std::uint64_t evict_last_policy() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// Starts a copy that completes on `barrier`. Size and addresses are multiples of 16 bytes.
__device__ __forceinline__ void bulk_load(void* target, const void* source, unsigned bytes, Barrier& barrier,
                                          std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
      "[%3], "
      "%4;" ::"r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(&barrier.state)), "l"(policy)
      : "memory");
}
/// Starts a store whose lines the L2 cache evicts first: results are not read again, inputs may be.
__device__ __forceinline__ void bulk_store(void* target, const void* source, unsigned bytes) {
  asm volatile(
      "{\n\t.reg .b64 policy;\n\tcreatepolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, policy;\n\t}" ::"l"(target),
      "r"(shared_address(source)), "r"(bytes)
      : "memory");
}
/// Commits the thread's stores since the last call as a group, which may be empty.
__device__ __forceinline__ void commit_bulk_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all groups but the last have read their source.
__device__ __forceinline__ void wait_for_bulk_reads_but_last() {
  asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}
/// Waits until all groups have read their source, which a block must do before it exits. Their writes
/// complete before the kernel ends.
__device__ __forceinline__ void wait_for_bulk_reads() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
/// Makes the thread's writes to shared memory visible to bulk stores.
__device__ __forceinline__ void fence_for_bulk_stores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Loads and stores 16 aligned bytes indivisibly. The load is volatile because ptxas 13.0 splits relaxed
/// 128-bit loads of which only some words are used; the parts may then come from different stores.
__device__ __forceinline__ void store_b128(void* target, std::uint64_t low, std::uint64_t high) {
  asm volatile(
      "{\n\t.reg .b128 t;\n\tmov.b128 t, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], t;\n\t}" ::"l"(target),
      "l"(low), "l"(high)
      : "memory");
}
__device__ __forceinline__ void load_b128(const void* source, std::uint64_t& low, std::uint64_t& high) {
  asm volatile("{\n\t.reg .b128 t;\n\tld.volatile.global.b128 t, [%2];\n\tmov.b128 {%0, %1}, t;\n\t}"
               : "=l"(low), "=l"(high)
               : "l"(source)
               : "memory");
}

#endif

}  // namespace foldline::cuda
