// The elements of a block's tiles in shared memory; the next tile is loaded while one is scanned.
//
// Each warp stages its own elements, so its threads need no block barrier to exchange them. In an exclusive
// scan elements are shifted by one, and a tile's last element is left out.
#pragma once

#include "cuda/device/async_copy.cuh"
#include "cuda/scan/tile_elements.cuh"

namespace foldline::cuda {

/// Stages elements of a tile up to index `end`, and waits for them.
template <Elements Kind>
__device__ __forceinline__ void stage_elements(const ScanJob& job, int tile, int end, Staged<Kind>* staged) {
  const TileWords<Kind> source{job.x};
  const std::int64_t first_of_tile = std::int64_t{tile} * float_tile;
  const int first = warp() * warp_elements + lane(), shift = job.exclusive ? 1 : 0;
  Staged<Kind> words[tile_per_thread];
  source.take(first_of_tile + first - shift, 32, first_of_tile + end, first < shift, words);
#pragma unroll
  for (int k = 0; k < tile_per_thread; ++k) staged[first + 32 * k] = words[k];
  __syncwarp();
}

/// Copies 16 bytes at a time where addresses allow it, else doubles one by one. For floats, single copies
/// take longer than they save (2^29 on an H100: 3.6 ms; waiting for each tile 3.4), and loads to registers
/// would be waited for anyway, because a thread has only six scoreboard counters. Other types must be
/// converted.
template <Elements Kind>
class TilesAhead {
 public:
  /// True if memory for two tiles is useful.
  static constexpr bool can_copy = Kind == Elements::float64 || Kind == Elements::float32;

  /// For tiles [first, last); requests the first. All threads call, also below.
  __device__ __forceinline__ TilesAhead(const ScanJob& job, int first, int last, Staged<Kind>* staged,
                                        bool are_two)
      : job_(job), last_(last), staged_(staged), are_two_(can_copy && are_two) {
    const auto address = reinterpret_cast<std::uintptr_t>(job.x.first);
    has_vec16s_ = !job.exclusive && job.x.step == sizeof(Staged<Kind>) && address % 16 == 0;
    if (are_two_) request(first);
  }

  /// Returns the elements of a tile, and requests those of the next.
  __device__ __forceinline__ Staged<Kind>* take(int tile) {
    if (are_two_) {
      request(tile + 1);
      wait_for_groups<1>();
      __syncwarp();
      if (Kind == Elements::float64 || has_vec16s(tile)) return buffer_of(tile);
    }
    Staged<Kind>* const buffer = are_two_ ? buffer_of(tile) : staged_;
    stage_elements<Kind>(job_, tile, end_of(tile), buffer);
    const TileWords<Kind> source{job_.x};
    source.prefetch(first_of(tile + 1) + warp() * warp_elements, warp_elements, lane(), job_.count);
    return buffer;
  }

 private:
  static __device__ __forceinline__ std::int64_t first_of(int tile) {
    return std::int64_t{tile} * float_tile;
  }
  __device__ __forceinline__ int end_of(int tile) const {
    return static_cast<int>(min(std::int64_t{float_tile}, job_.count - first_of(tile)));
  }
  __device__ __forceinline__ bool has_vec16s(int tile) const {
    return has_vec16s_ && end_of(tile) == float_tile;
  }
  __device__ __forceinline__ Staged<Kind>* buffer_of(int tile) const {
    return staged_ + (tile % 2 != 0 ? float_tile : 0);
  }

  __device__ __forceinline__ void request(int tile) const {
    if constexpr (can_copy) {
      if (tile < last_) {
        if (has_vec16s(tile))
          copy_vec16s(tile);
        else if constexpr (Kind == Elements::float64)
          copy_doubles(tile);
      }
      commit_group();
    }
  }
  __device__ __forceinline__ void copy_vec16s(int tile) const {
    constexpr int bytes = warp_elements * static_cast<int>(sizeof(Staged<Kind>));
    const std::byte* const from = TileWords<Kind>{job_.x}.address_of(first_of(tile)) + warp() * bytes;
    std::byte* const to = reinterpret_cast<std::byte*>(buffer_of(tile)) + warp() * bytes;
#pragma unroll
    for (int i = 0; i < bytes; i += 32 * 16) {
      const int offset = i + lane() * 16;
      if (i + 32 * 16 <= bytes || offset < bytes) copy_to_shared<16>(to + offset, from + offset);
    }
  }
  __device__ __forceinline__ void copy_doubles(int tile) const {
    const int first = warp() * warp_elements + lane(), shift = job_.exclusive ? 1 : 0, end = end_of(tile);
    const TileWords<Kind> source{job_.x};
    const std::byte* from = source.address_of(first_of(tile) + first - shift);
    Staged<Kind>* const to = buffer_of(tile) + first;
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k, from += 32 * job_.x.step) {
      if (first + 32 * k - shift < end && first + 32 * k >= shift)
        copy_to_shared<8>(to + 32 * k, from);
      else
        source.take_nothing(to[32 * k]);
    }
  }

  const ScanJob& job_;
  int last_;
  Staged<Kind>* staged_;
  bool are_two_, has_vec16s_;
};

}  // namespace foldline::cuda
