// Reads a thread's next batches to shared memory with cp.async while it adds the current one.
//
// A thread that loads to registers has no load in flight while it adds. Here several batches always are, so
// that few warps saturate memory: with 16 warps per multiprocessor and four batches ahead, 2^28 squares of
// doubles take 477 us on an H200; with 24 warps and two, 493. Each thread reads only what it copied itself,
// so it waits for its own copies and needs no barrier.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/async_copy.cuh"
#include "cuda/device/block.cuh"
#include "cuda/device/policy_reader.cuh"
#include "cuda/device/sources.cuh"

namespace foldline::cuda {

/// True if batches of a source can be read ahead.
template <class Source>
inline constexpr bool can_read_ahead = false;
template <class T, int Loads, bool TwoVectors, int Threads>
inline constexpr bool can_read_ahead<Contiguous<T, Loads, TwoVectors, Threads>> = true;

/// Reads a thread's batches of full tiles, in order.
template <class Source>
class ReadAhead {
  static constexpr int line_bytes = 128;
  static constexpr int part = Source::loads * Source::threads;  // vec16 of a batch, over all threads
  FOLDLINE_HOST_DEVICE static constexpr int bytes_of_vector(int batches) {
    return batches * part * 16 + line_bytes;
  }

 public:
  using BatchType = typename Source::BatchType;
  /// Batches in flight; before compute capability 9.0 shared memory has room for fewer.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr int batches = 2;
#else
  static constexpr int batches = 4;
#endif
  static constexpr int min_batches = 2;
  /// Bytes of a block's dynamic shared memory, after its buckets.
  FOLDLINE_HOST_DEVICE static constexpr int bytes(int of_batches = batches) {
    return Source::vectors * bytes_of_vector(of_batches);
  }

  /// `offset`: position of the buffers in dynamic shared memory.
  __device__ __forceinline__ ReadAhead(const Source& source, int offset, int tile)
      : source_(source), step_(static_cast<int>(gridDim.x)), part_(tile / step_ % batches * part) {
#pragma unroll
    for (int v = 0; v < Source::vectors; ++v) {
      // A warp's 16-byte copies move whole sectors only if source and destination have the same offset in a
      // 128-byte line; otherwise each sector is read twice (2^29 floats: 565 us, not 485).
      const auto address = reinterpret_cast<std::uintptr_t>(source.first_vec16(v));
      slot_[v] = reinterpret_cast<uint4*>(dynamic_memory() + offset + v * bytes_of_vector(batches) +
                                          address % line_bytes) +
                 threadIdx.x;
    }
  }

  /// Requests the batch of `tile`, the first one.
  __device__ __forceinline__ void request_first(int tile) const { request(tile, part_); }
  /// Returns the first batch without consuming it, and requests the next ones.
  __device__ __forceinline__ BatchType peek_first(int tile) const {
    wait_for_groups<0>();
    request_from(tile, 1);
    return read_batch();
  }
  /// Requests the first batches, of `tile` and its successors.
  __device__ __forceinline__ void start(int tile) const {
    wait_for_groups<0>();  // of an earlier start
    request_from(tile, 0);
  }
  /// Consumes the batch of `tile`, the oldest in flight, and requests the one after the newest.
  __device__ __forceinline__ BatchType take(int tile) {
    wait_for_groups<batches - 1>();
    const BatchType taken = read_batch();
    request(tile + batches * step_, part_);
    part_ = next(part_);
    return taken;
  }

 private:
  /// The slot after the one at `slot`.
  static __device__ __forceinline__ int next(int slot) {
    return slot == (batches - 1) * part ? 0 : slot + part;
  }
  /// Requests the first batches from number `first_batch` on.
  __device__ __forceinline__ void request_from(int tile, int first_batch) const {
    int at = part_;
#pragma unroll
    for (int i = 0; i < batches; ++i) {
      if (i >= first_batch) request(tile + i * step_, at);
      at = next(at);
    }
  }
  __device__ __forceinline__ void request(int tile, int first) const {
    const int thread = static_cast<int>(threadIdx.x);
    if (tile < source_.full_tiles) {
#pragma unroll
      for (int v = 0; v < Source::vectors; ++v) {
        const uint4* const vec16s = source_.first_vec16(v) + source_.index(tile, 0, thread);
#pragma unroll
        for (int u = 0; u < Source::loads; ++u)
          read_.copy_to_shared(slot_[v] + first + u * Source::threads, vec16s + u * Source::threads);
      }
    }
    commit_group();
  }
  __device__ __forceinline__ BatchType read_batch() const {
    BatchType taken;
    read<0>(taken.x);
    if constexpr (Source::two_vectors) read<1>(taken.y);
    return taken;
  }
  template <int Vector, class T, int Size>
  __device__ __forceinline__ void read(T (&target)[Size]) const {
#pragma unroll
    for (int u = 0; u < Source::loads; ++u) {
      const uint4 vec16 = slot_[Vector][part_ + u * Source::threads];
      std::memcpy(target + u * Source::width, &vec16, sizeof vec16);
    }
  }

  const Source& source_;
  const PolicyReader read_{
      false};  // evict first: keeping inputs in L2 makes norms of 2^28 doubles 5 % slower on an H200
  int step_;
  int part_;  // slot of the next batch, in vec16
  uint4* slot_[Source::vectors];
};

}  // namespace foldline::cuda
