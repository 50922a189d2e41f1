// Where the elements of a scan at once are: a block has one tile, a warp of it `Rounds` times 32 neighbouring
// quads of 16 bytes, a lane one quad of each round, so that every load and every store of a warp is 512
// neighbouring bytes.
#pragma once

#include "cuda/scan/pipeline_memory.cuh"

namespace foldline::cuda {

inline constexpr int at_once_threads = 512, at_once_warps = at_once_threads / 32;

/// Bytes of a tile.
template <int Rounds>
inline constexpr std::int64_t at_once_tile = std::int64_t{16} * at_once_threads * Rounds;

#if __CUDA_ARCH__ >= 900

/// For how many cycles after it told its own sum a block does not look for other blocks': whoever looks too
/// early takes another 0.6 us to look again, and keeps others from writing. (2^18 ints on an H200 after 0
/// cycles 4.06 us, 600 3.59, 800 3.64, 1300 3.89; int64 5.36, 4.94, 4.55, 4.60. With a warp of its own, which
/// looks at once, 4.73 and 5.80.)
inline constexpr long long cycles_to_wait = 800;

/// Of a warp. `absent` stands behind the last element.
template <class T, int Rounds>
struct AtOnceTile {
  static constexpr int per_quad = 16 / sizeof(T), of_warp = Rounds * 32 * per_quad;
  struct alignas(16) Quad {
    T x[per_quad];
  };

  const PipelineJob& job;

  /// The warp's first element.
  __device__ __forceinline__ std::int64_t first() const {
    return (std::int64_t{blockIdx.x} * at_once_warps + warp()) * of_warp;
  }
  __device__ __forceinline__ bool is_whole() const { return first() + of_warp <= job.count; }
  /// The lane's first element of a round.
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
  /// Stores quad i of the warp; `whole` is is_whole(). Many results are better not the first to leave the L2
  /// cache, few are: 2^22 ints 13.0 us instead of 13.4, but 2^20 floats 5.95 instead of 5.75.
  __device__ __forceinline__ void store_quad_of_warp(int i, const Quad& results, bool whole) const {
    if (!whole) return store_quad(first() + i * per_quad, results);
    uint4* const to = reinterpret_cast<uint4*>(job.out) + first() / per_quad + i;
    if constexpr (Rounds < 16)
      __stcs(to, *reinterpret_cast<const uint4*>(&results));
    else
      *to = *reinterpret_cast<const uint4*>(&results);
  }
  /// Stores what `quad(round)` is.
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
