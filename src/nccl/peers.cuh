// Rounds of kernels on several GPUs that write into each other's memory: how they begin and end.
//
// A round begins with a message from each rank to each, sent by its first block: that it is there, so that
// its arrays are ready and the last round's results may be overwritten, what it asks for, and where its
// arrays are. Every block waits for all messages. The round ends when each block has told the block of its
// number on all other GPUs that it is done, and has heard the same from them: so when a kernel ends, all that
// others write to its memory is there, and nobody reads its arrays any more.
//
// Of its own GPU a block waits for the first one only, which sends the messages, so it does no harm if others
// start late. Every wait has a limit by the clock. Numbers of rounds are counted on the device, so that
// launches can be captured into graphs.
//
// Order of memory: a message follows a fence of system scope (before it the arrays were written, by kernels
// that ended) and is read by loads that acquire; a block's stores to other GPUs come before __syncthreads()
// and then a store that releases, read by loads that acquire before __syncthreads().
#pragma once

#include <cstdint>

#include "cuda/device/programmatic_launch.cuh"
#include "nccl/mailbox.hpp"

namespace foldline::nccl {

__device__ __forceinline__ void fence_system() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
__device__ __forceinline__ void store_relaxed(std::uint64_t* address, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}
__device__ __forceinline__ void store_release(std::uint32_t* address, std::uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
__device__ __forceinline__ void store_release(std::uint64_t* address, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}
__device__ __forceinline__ std::uint64_t load_acquire(const std::uint64_t* address) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}
__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* address) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}
__device__ __forceinline__ std::uint64_t nanoseconds() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(value));
  return value;
}

/// Loads until `has_come(value)` or the limit; the last value is in `value`. Returns false at the limit.
template <class Word, class HasCome>
__device__ __forceinline__ bool wait_for(const Word* address, std::uint64_t limit, Word& value,
                                         const HasCome& has_come) {
  constexpr int loads_between_looks = 64;  // at the clock
  std::uint64_t begin = 0;
  while (true) {
    for (int i = 0; i < loads_between_looks; ++i) {
      value = load_acquire(address);
      if (has_come(value)) return true;
    }
    const std::uint64_t now = nanoseconds();
    if (begin == 0) begin = now;
    if (now - begin > limit) return false;
  }
}

/// What a block knows of a round; in shared memory.
struct Round {
  std::uint64_t message[most_peers][message_words];  // payloads
  std::uint32_t number;
  Failure failure;
};

__device__ __forceinline__ std::uint64_t payload_of(const PeerTask& task, int word) {
  switch (word) {
    case 0:
      return static_cast<std::uint64_t>(task.count);
    case 1:
      return task.what;
    case 2:
      return task.out_address;
    default:
      return word - head_words < task.arrays ? task.in_address[word - head_words] : 0;
  }
}

/// Where a payload points to.
__device__ __forceinline__ std::byte* address_of(const PeerTask& task, int peer, std::uint64_t payload) {
  if (task.pieces == nullptr) return reinterpret_cast<std::byte*>(payload);
  if (peer == task.rank) return nullptr;  // not to be asked for: its own memory has its own addresses
  const std::byte* const base = task.pieces[peer * most_pieces + (payload & (most_pieces - 1))];
  return const_cast<std::byte*>(base) + (payload >> piece_bits_of_address);
}

/// Tells the host and later kernels of a failure.
__device__ __forceinline__ void report(const PeerTask& task, Failure failure) {
  atomicCAS(&task.mailbox[task.rank]->failure, 0u, static_cast<std::uint32_t>(failure));
  *static_cast<volatile std::uint32_t*>(task.failure) = static_cast<std::uint32_t>(failure);
  __threadfence_system();
}

/// One thread of every block, after the block has read the number of the round: the last one counts it, for
/// the next kernel.
__device__ __forceinline__ void count_round(Mailbox& own, std::uint32_t number) {
  if (atomicAdd(&own.ticket, 1u) != gridDim.x - 1) return;
  own.ticket = 0;
  own.round = number;
}

/// All threads of a block, of which there are more than most_peers * message_words. Returns whether all ranks
/// are there and agree.
__device__ inline bool begin_round(const PeerTask& task, Round& round) {
  static_assert(most_peers * message_words < 512);
  Mailbox& own = *task.mailbox[task.rank];
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    round.number = *static_cast<volatile std::uint32_t*>(&own.round) + 1;
    round.failure = static_cast<Failure>(*static_cast<volatile std::uint32_t*>(&own.failure));
  }
  if (blockIdx.x == 0 && thread < task.size * message_words) fence_system();  // for the messages
  __syncthreads();
  if (thread == static_cast<int>(blockDim.x) - 1) count_round(own, round.number);
  if (round.failure != Failure::none) return false;
  constexpr std::uint64_t tag_mask = (1u << tag_bits) - 1;
  const std::uint64_t tag = round.number & tag_mask;
  const int peer = thread / message_words, word = thread % message_words;
  Failure failure = Failure::none;
  if (peer < task.size) {
    const std::uint64_t payload = payload_of(task, word);
    if (blockIdx.x == 0)
      store_relaxed(&task.mailbox[peer]->message[task.rank][word], payload << tag_bits | tag);
    std::uint64_t value = 0;
    if (!wait_for(&own.message[peer][word], task.time_limit, value,
                  [&](std::uint64_t v) { return (v & tag_mask) == tag; }))
      failure = Failure::time_limit;
    else if (word < 2 && value >> tag_bits != payload)
      failure = Failure::mismatch;
    round.message[peer][word] = value >> tag_bits;
  }
  if (failure != Failure::none) report(task, failure);
  return __syncthreads_or(failure != Failure::none ? 1 : 0) == 0;
}

/// All threads of a block, if begin_round returned true. Returns whether all ranks have finished.
__device__ inline bool end_round(const PeerTask& task, const Round& round) {
  __syncthreads();
  const auto peer = static_cast<int>(threadIdx.x);
  bool failed = false;
  if (peer < task.size) {
    store_release(&task.mailbox[peer]->arrived[blockIdx.x][task.rank], round.number);
    if (peer == 0) cuda::allow_dependent_launch();
    std::uint32_t value = 0;
    failed = !wait_for(&task.mailbox[task.rank]->arrived[blockIdx.x][peer], task.time_limit, value,
                       [&](std::uint32_t v) { return static_cast<std::int32_t>(v - round.number) >= 0; });
    if (failed) report(task, Failure::time_limit);
  }
  return __syncthreads_or(failed ? 1 : 0) == 0;
}

}  // namespace foldline::nccl
