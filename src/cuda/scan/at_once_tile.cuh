// The layout of a single-wave scan: a block has one tile; a warp has `Rounds` times 32 neighbouring vec16, a
// lane one of each round, so that every load and store of a warp covers 512 contiguous bytes.
#pragma once

#include "cuda/scan/pipeline_memory.cuh"

namespace foldline::cuda {

inline constexpr int at_once_threads = 512, at_once_warps = at_once_threads / 32;

/// Bytes of a tile.
template <int Rounds>
inline constexpr std::int64_t at_once_tile = std::int64_t{16} * at_once_threads * Rounds;

#if __CUDA_ARCH__ >= 900

/// Cycles between publishing a block's sum and the first look at those of other blocks. Looking too early
/// costs another round trip (0.6 us on an H200) and disturbs the writers.
inline constexpr long long cycles_to_wait = 800;

/// The elements of a warp. `padding` is used after the last element.
template <class T, int Rounds>
struct AtOnceTile {
  static constexpr int per_quad = 16 / sizeof(T), of_warp = Rounds * 32 * per_quad;
  struct alignas(16) Quad {
    T x[per_quad];
  };

  const PipelineJob& job;

  /// Index of the warp's first element.
  __device__ __forceinline__ std::int64_t first() const {
    return (std::int64_t{blockIdx.x} * at_once_warps + warp()) * of_warp;
  }
  __device__ __forceinline__ bool is_whole() const { return first() + of_warp <= job.count; }
  /// Index of the lane's first element in a round.
  __device__ __forceinline__ std::int64_t place_of(int round) const {
    return first() + (round * 32 + lane()) * per_quad;
  }

  __device__ __forceinline__ Quad load_quad(std::int64_t place, T absent) const {
    const auto* const from = reinterpret_cast<const T*>(job.x);
    Quad quad;
#pragma unroll
    for (int i = 0; i < per_quad; ++i) quad.x[i] = place + i < job.count ? from[place + i] : absent;
    return quad;
  }
  __device__ __forceinline__ void store_quad(std::int64_t place, const Quad& quad) const {
    auto* const to = reinterpret_cast<T*>(job.out);
#pragma unroll
    for (int i = 0; i < per_quad; ++i)
      if (place + i < job.count) to[place + i] = quad.x[i];
  }

  __device__ __forceinline__ void load(Quad (&quads)[Rounds], T absent) const {
    if (is_whole()) {
      const auto* const from = reinterpret_cast<const uint4*>(job.x) + first() / per_quad + lane();
#pragma unroll
      for (int k = 0; k < Rounds; ++k) {
        const uint4 quad = __ldcs(from + 32 * k);
        quads[k] = *reinterpret_cast<const Quad*>(&quad);
      }
    } else {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) quads[k] = load_quad(place_of(k), absent);
    }
  }
  /// Stores vec16 i of the warp; `whole` is is_whole(). Results of small scans are evicted from L2 first; for
  /// large ones that is slower.
  __device__ __forceinline__ void store_quad_of_warp(int i, const Quad& results, bool whole) const {
    if (!whole) return store_quad(first() + i * per_quad, results);
    uint4* const to = reinterpret_cast<uint4*>(job.out) + first() / per_quad + i;
    if constexpr (Rounds < 16)
      __stcs(to, *reinterpret_cast<const uint4*>(&results));
    else
      *to = *reinterpret_cast<const uint4*>(&results);
  }
  /// Stores vec16(round) for every round.
  template <class F>
  __device__ __forceinline__ void store(const F& quad) const {
    if (is_whole()) {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) store_quad_of_warp(k * 32 + lane(), quad(k), true);
    } else {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) store_quad_of_warp(k * 32 + lane(), quad(k), false);
    }
  }
};

#endif

}  // namespace foldline::cuda
