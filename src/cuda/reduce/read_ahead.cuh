// Batches of a thread's next tiles, on their way to shared memory while it adds up others.
//
// What a thread has loaded into registers it must add up before it can ask for more, and while it adds no
// load of its own is under way. Here the next four batches always are, so that few warps keep enough under
// way: with 16 a multiprocessor and four batches 2^28 squares of doubles are added up in 477 us on an H200,
// with 24 and two in 493. Each thread reads only what it asked for itself, so there is nothing to wait for
// but its own copies. (Prefetching into the L2 cache instead makes the kernel 12% slower, tile by tile or
// thread by thread.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/asynchronous_copy.cuh"
#include "cuda/device/cached_read.cuh"
#include "cuda/device/sources.cuh"
#include "cuda/exact/buckets.cuh"

namespace foldline::cuda {

/// Whether what comes from a source can be read ahead.
template <class Source>
inline constexpr bool can_read_ahead = false;
template <class T, int Loads, bool TwoVectors, int Threads>
inline constexpr bool can_read_ahead<Contiguous<T, Loads, TwoVectors, Threads>> = true;

/// Reads a thread's batches of full tiles ahead, one after another.
template <class Source>
class ReadAhead {
  static constexpr int line_bytes = 128;
  static constexpr int part = Source::loads * Source::threads;  // quads
  FOLDLINE_HOST_DEVICE static constexpr int bytes_of_vector(int batches) {
    return batches * part * 16 + line_bytes;
  }

 public:
  using Taken = typename Source::Taken;
  /// Batches under way: before compute capability 9.0 there is room for fewer.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr int batches = 2;
#else
  static constexpr int batches = 4;
#endif
  static constexpr int fewest_batches = 2;
  /// Of a block's dynamic shared memory, behind its buckets.
  FOLDLINE_HOST_DEVICE static constexpr int bytes(int of_batches = batches) {
    return Source::vectors * bytes_of_vector(of_batches);
  }

  /// `place` is where its dynamic shared memory has room.
  __device__ __forceinline__ ReadAhead(const Source& source, int place, int tile)
      : source_(source), step_(static_cast<int>(gridDim.x)), part_(tile / step_ % batches * part) {
#pragma unroll
    for (int v = 0; v < Source::vectors; ++v) {
      // Copies of 16 bytes by the threads of a warp move whole sectors if their places in lines are the same
      // on either side; otherwise each sector is read twice. (Sums of 2^29 floats: 565 us instead of 485.)
      const auto address = reinterpret_cast<std::uintptr_t>(source.first_quad(v));
      slot_[v] = reinterpret_cast<uint4*>(dynamic_memory() + place + v * bytes_of_vector(batches) +
                                          address % line_bytes) +
                 threadIdx.x;
    }
  }

  /// Asks for the batch of `tile`, the first.
  __device__ __forceinline__ void ask_for_first(int tile) const { ask(tile, part_); }
  /// Returns the first batch, which is not taken by that, and asks for the next.
  __device__ __forceinline__ Taken look_at_first(int tile) const {
    wait_for_groups<0>();
    ask_from(tile, 1);
    return read_batch();
  }
  /// Asks for the first batches, of `tile` and the next.
  __device__ __forceinline__ void start(int tile) const {
    wait_for_groups<0>();  // of an earlier start
    ask_from(tile, 0);
  }
  /// Takes the first of the batches that are under way, which is that of `tile`, and asks for the one after
  /// the last.
  __device__ __forceinline__ Taken take(int tile) {
    wait_for_groups<batches - 1>();
    const Taken taken = read_batch();
    ask(tile + batches * step_, part_);
    part_ = next(part_);
    return taken;
  }

 private:
  /// Where the batch after the one at `place` comes to be.
  static __device__ __forceinline__ int next(int place) {
    return place == (batches - 1) * part ? 0 : place + part;
  }
  /// Asks for the first batches, of `tile` and the next, from number `first_batch` on.
  __device__ __forceinline__ void ask_from(int tile, int first_batch) const {
    int at = part_;
#pragma unroll
    for (int i = 0; i < batches; ++i) {
      if (i >= first_batch) ask(tile + i * step_, at);
      at = next(at);
    }
  }
  __device__ __forceinline__ void ask(int tile, int first) const {
    const int thread = static_cast<int>(threadIdx.x);
    if (tile < source_.full_tiles) {
#pragma unroll
      for (int v = 0; v < Source::vectors; ++v) {
        const uint4* const quads = source_.first_quad(v) + source_.place(tile, 0, thread);
#pragma unroll
        for (int u = 0; u < Source::loads; ++u)
          read_.copy_to_shared(slot_[v] + first + u * Source::threads, quads + u * Source::threads);
      }
    }
    close_group();
  }
  __device__ __forceinline__ Taken read_batch() const {
    Taken taken;
    read<0>(taken.x);
    if constexpr (Source::two_vectors) read<1>(taken.y);
    return taken;
  }
  template <int Vector, class T, int Size>
  __device__ __forceinline__ void read(T (&target)[Size]) const {
#pragma unroll
    for (int u = 0; u < Source::loads; ++u) {
      const uint4 quad = slot_[Vector][part_ + u * Source::threads];
      std::memcpy(target + u * Source::width, &quad, sizeof quad);
    }
  }

  const Source& source_;
  const CachedRead read_{false};  // or norms of 2^28 doubles take 519 us on an H200 instead of 492
  int step_;
  int part_;  // where the next batch is, or comes to be, in quads
  uint4* slot_[Source::vectors];
};

}  // namespace foldline::cuda
