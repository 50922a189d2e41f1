// The layout of a single-wave scan: a block has one tile; a warp has `Rounds` times 32 neighbouring vec16, a
// lane one of each round, so that every load and store of a warp covers 512 contiguous bytes.
#pragma once

#include "cuda/scan/pipeline_memory.cuh"

namespace foldline::cuda {

inline constexpr int single_wave_threads = 512, single_wave_warps = single_wave_threads / 32;

/// Bytes of a tile.
template <int Rounds>
inline constexpr std::int64_t single_wave_tile_bytes = std::int64_t{16} * single_wave_threads * Rounds;

/// Calls launch_rounds.operator()<Rounds>(job) for a single-wave scan of type T, with the fewest rounds for
/// which all tiles are resident.
template <class T, int Rounds = 1, class LaunchRounds>
void in_fewest_rounds(const Scan& scan, const PipelineLaunch& launch, const LaunchRounds& launch_rounds) {
  constexpr std::int64_t tile_elements = single_wave_tile_bytes<Rounds> / sizeof(T);
  static_assert(single_wave_tile_bytes<Rounds> <= single_wave_bytes);
  if constexpr (single_wave_tile_bytes<Rounds> < single_wave_bytes)
    if (scan.x.size() > tile_elements * launch.multiprocessors)
      return in_fewest_rounds<T, 2 * Rounds>(scan, launch, launch_rounds);
  launch_rounds.template operator()<Rounds>(pipeline_job(scan, launch, scan.x.size(), tile_elements));
}

#if __CUDA_ARCH__ >= 900

/// Cycles between publishing a block's sum and the first look at those of other blocks. Looking too early
/// costs another round trip (0.6 us on an H200) and disturbs the writers.
inline constexpr long long polling_delay = 800;

/// The elements of a warp. `padding` is used after the last element.
template <class T, int Rounds>
struct SingleWaveTile {
  static constexpr int per_vec16 = 16 / sizeof(T), of_warp = Rounds * 32 * per_vec16;
  struct alignas(16) Vec16 {
    T x[per_vec16];
  };

  const PipelineJob& job;

  /// Index of the warp's first element.
  __device__ __forceinline__ std::int64_t first() const {
    return (std::int64_t{blockIdx.x} * single_wave_warps + warp()) * of_warp;
  }
  __device__ __forceinline__ bool is_whole() const { return first() + of_warp <= job.count; }
  /// Index of the lane's first element in a round.
  __device__ __forceinline__ std::int64_t index_of(int round) const {
    return first() + (round * 32 + lane()) * per_vec16;
  }

  __device__ __forceinline__ Vec16 load_vec16(std::int64_t index, T padding) const {
    const auto* const from = reinterpret_cast<const T*>(job.x);
    Vec16 vec16;
#pragma unroll
    for (int i = 0; i < per_vec16; ++i) vec16.x[i] = index + i < job.count ? from[index + i] : padding;
    return vec16;
  }
  __device__ __forceinline__ void store_vec16(std::int64_t index, const Vec16& vec16) const {
    auto* const to = reinterpret_cast<T*>(job.out);
#pragma unroll
    for (int i = 0; i < per_vec16; ++i)
      if (index + i < job.count) to[index + i] = vec16.x[i];
  }

  __device__ __forceinline__ void load(Vec16 (&vec16s)[Rounds], T padding) const {
    if (is_whole()) {
      const auto* const from = reinterpret_cast<const uint4*>(job.x) + first() / per_vec16 + lane();
#pragma unroll
      for (int k = 0; k < Rounds; ++k) {
        const uint4 vec16 = __ldcs(from + 32 * k);
        vec16s[k] = *reinterpret_cast<const Vec16*>(&vec16);
      }
    } else {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) vec16s[k] = load_vec16(index_of(k), padding);
    }
  }
  /// Stores vec16 i of the warp; `whole` is is_whole(). Results of small scans are evicted from L2 first; for
  /// large ones that is slower.
  __device__ __forceinline__ void store_vec16_of_warp(int i, const Vec16& results, bool whole) const {
    if (!whole) return store_vec16(first() + i * per_vec16, results);
    uint4* const to = reinterpret_cast<uint4*>(job.out) + first() / per_vec16 + i;
    if constexpr (Rounds < 16)
      __stcs(to, *reinterpret_cast<const uint4*>(&results));
    else
      *to = *reinterpret_cast<const uint4*>(&results);
  }
  /// Stores vec16(round) for every round.
  template <class F>
  __device__ __forceinline__ void store(const F& vec16) const {
    if (is_whole()) {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) store_vec16_of_warp(k * 32 + lane(), vec16(k), true);
    } else {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) store_vec16_of_warp(k * 32 + lane(), vec16(k), false);
    }
  }
};

#endif

}  // namespace foldline::cuda
