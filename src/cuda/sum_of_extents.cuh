// Sums of blocks that choose their windows by themselves.
#pragma once

#include "cuda/pipeline_sums.cuh"

namespace foldline::cuda {

#if __CUDA_ARCH__ >= 900

/// floor(sum / 2^bits).
__device__ __noinline__ inline Wide moved(Wide sum, int bits) {
  for (; bits >= 64; bits -= 64) sum = {sum.word[1], sum.word[2], sum.is_negative() ? ~std::uint64_t{0} : 0};
  return {shifted_down(sum, bits), shifted_down(sum, bits + 64), shifted_down(sum, bits + 128)};
}

/// Sums of blocks in the windows that they chose, and what their elements are. Windows end at multiples of
/// 32, so that those of ordinary data are the same; what two of them hold together, the higher one does or
/// none.
template <class Op>
class SumOfExtents {
 public:
  using Window = typename Op::Window;
  static constexpr int beyond = 5000;  // any exponent
  static constexpr int width = 128;

  __device__ SumOfExtents() = default;
  __device__ SumOfExtents(const Wide& sum, const WarpExtent& extent)
      : sum_(sum), extent_{min(extent.top, beyond), min(extent.place, beyond)} {}

  static __device__ __forceinline__ Window window_above(int top) {
    constexpr int highest = 960, lowest_unit = Op::is_double ? -950 : -149;
    Window window{};
    window.highest = min((top + 31 + 1024) / 32 * 32 - 1024, highest);
    window.unit = max(window.highest - width, lowest_unit);
    return window;
  }
  __device__ __forceinline__ Window window() const { return window_above(extent_.top); }
  /// Whether it is the sum. Not of more elements either, if it is not.
  __device__ __forceinline__ bool holds() const { return Op::holds(window(), extent_); }
  __device__ __forceinline__ const Wide& sum() const { return sum_; }
  __device__ __forceinline__ const WarpExtent& extent() const { return extent_; }

  /// A sum of 2^30 elements is below 2^159 units.
  __device__ __forceinline__ Wide words() const {
    return {sum_.word[0], sum_.word[1],
            (sum_.word[2] & 0xffffffffu) | std::uint64_t{static_cast<std::uint16_t>(extent_.top)} << 32 |
                std::uint64_t{static_cast<std::uint16_t>(extent_.place)} << 48};
  }
  static __device__ __forceinline__ SumOfExtents of(const Wide& words) {
    const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(words.word[2]));
    return {{words.word[0], words.word[1], static_cast<std::uint64_t>(std::int64_t{low})},
            {static_cast<std::int16_t>(words.word[2] >> 32), static_cast<std::int16_t>(words.word[2] >> 48)}};
  }

  __device__ __forceinline__ void add(SumOfExtents other) {
    const WarpExtent both{max(extent_.top, other.extent_.top), min(extent_.place, other.extent_.place)};
    move(both);
    other.move(both);
    sum_ = sum_ + other.sum_;
  }
  /// The sum of the lanes'.
  __device__ __forceinline__ void close() {
    const WarpExtent all{static_cast<int>(warp_max(static_cast<unsigned>(extent_.top + beyond))) - beyond,
                         beyond - static_cast<int>(warp_max(static_cast<unsigned>(beyond - extent_.place)))};
    move(all);
    sum_ = warp_sum(sum_);
  }

 private:
  __device__ __forceinline__ void move(const WarpExtent& extent) {
    const int bits = window_above(extent.top).unit - window().unit;
    if (bits != 0) sum_ = moved(sum_, bits);
    extent_ = extent;
  }

  Wide sum_{};
  WarpExtent extent_{Op::lowest_top, beyond};
};

#endif

}  // namespace foldline::cuda
