// The sum that a tile of a pipeline, or a block of a single wave, publishes.
#pragma once

#include "cuda/device/bulk_copy.cuh"
#include "cuda/exact/int192.cuh"

namespace foldline::cuda {

/// The tag of a launch: 31 bits of its number. Never 0, the tag of cleared memory.
__host__ __device__ constexpr unsigned epoch_of(std::uint64_t number) {
  return static_cast<unsigned>(number) & 0x7fffffffu;
}
__host__ __device__ constexpr std::uint64_t next_number(std::uint64_t number) {
  return number + (epoch_of(number + 1) == 0 ? 2 : 1);
}

/// Two times 16 bytes, each written indivisibly and each with the tag of its launch: a reader that finds the
/// tags has the sum, so memory need not be cleared and writes need no order. The lowest bit of a tag says
/// that the sum is unknown: no window holds the elements, or a fast scan of them might overflow.
struct alignas(32) TileStatus {
  std::uint64_t part[4];
};

/// What the first block publishes for all others, in the same way: the sum before the launch, and the range
/// of exponents of its window. The lowest bit of the tag says that there is no window.
struct WindowStatus {
  TileStatus before;
  alignas(16) std::uint64_t extent[2];
};

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void publish_status(TileStatus& status, const Int192& sum, unsigned epoch,
                                               bool failed) {
  const std::uint64_t tag = epoch << 1 | static_cast<unsigned>(failed);
  constexpr std::uint64_t high_half = 0xffffffff00000000u;
  store_b128(status.part, sum.word[0], (sum.word[1] & high_half) | tag);
  store_b128(status.part + 2, sum.word[1] << 32 | sum.word[2] >> 32, sum.word[2] << 32 | tag);
}

/// A status as it was read.
struct StatusRead {
  std::uint64_t a, b, c, d;

  __device__ __forceinline__ void load(const TileStatus& status) {
    load_b128(status.part, a, b);
    load_b128(status.part + 2, c, d);
  }
  __device__ __forceinline__ bool is_of(unsigned epoch) const {
    return static_cast<unsigned>(b) >> 1 == epoch && static_cast<unsigned>(d) >> 1 == epoch;
  }
  __device__ __forceinline__ bool failed() const { return (b & 1) != 0; }
  __device__ __forceinline__ Int192 words() const {
    return {a, (b & 0xffffffff00000000u) | c >> 32, c << 32 | d >> 32};
  }
};

/// Waits for statuses [first, last) and calls f with each, in the lane that read it; all lanes work in
/// parallel. If is_stopped() says that no more will come, the lane takes those that were published before and
/// returns false if any of its own is missing.
template <class IsOver, class F>
__device__ __forceinline__ bool for_each_status(const TileStatus* status, int first, int last, unsigned epoch,
                                                const IsOver& is_stopped, const F& f) {
  constexpr int statuses_per_lane = 5;  // per lane: 160 tiles
  bool all = true;
  for (int t = first + lane(); t - lane() < last; t += 32 * statuses_per_lane) {
    StatusRead read[statuses_per_lane];
    unsigned wanted = 0;
#pragma unroll
    for (int m = 0; m < statuses_per_lane; ++m)
      if (t + 32 * m < last) wanted |= 1u << m;
    bool is_last_look = false;
    for (unsigned missing = wanted; missing != 0;) {
#pragma unroll
      for (int m = 0; m < statuses_per_lane; ++m)
        if ((missing >> m & 1) != 0) read[m].load(status[t + 32 * m]);
#pragma unroll
      for (int m = 0; m < statuses_per_lane; ++m)
        if ((missing >> m & 1) != 0 && read[m].is_of(epoch)) missing &= ~(1u << m);
      if (missing == 0) break;
      if (is_last_look) {
        all = false;
        wanted &= ~missing;
        break;
      }
      is_last_look = is_stopped();
      if (is_last_look) __threadfence();
    }
#pragma unroll
    for (int m = 0; m < statuses_per_lane; ++m)
      if ((wanted >> m & 1) != 0) f(read[m]);
  }
  return all;
}

__device__ __forceinline__ void publish_window(WindowStatus& status, const Int192& before, int unit,
                                               int highest, unsigned epoch, bool failed) {
  publish_status(status.before, before, epoch, failed);
  store_b128(status.extent, std::uint64_t{static_cast<unsigned>(unit)} << 32 | static_cast<unsigned>(highest),
             epoch);
}
/// Waits for the window. Returns false if there is none.
__device__ __forceinline__ bool wait_for_window(const WindowStatus& status, Int192& before, int& unit,
                                                int& highest, unsigned epoch) {
  StatusRead read;
  std::uint64_t extent, tag;
  do {
    read.load(status.before);
    load_b128(status.extent, extent, tag);
  } while (!read.is_of(epoch) || static_cast<unsigned>(tag) != epoch);
  before = read.words();
  unit = static_cast<int>(extent >> 32);
  highest = static_cast<int>(static_cast<unsigned>(extent));
  return !read.failed();
}
#endif

}  // namespace foldline::cuda
