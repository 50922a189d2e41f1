// Scans along an axis by teams: one warp, or all warps of a block, scan a vector or a part of one, tile by
// tile, each lane a batch of neighbouring elements. Loads and stores of a warp cover contiguous elements;
// these reach their lanes through shared memory. Each lane adds up its batch; a scan over lanes and warps
// gives the sum before it, from which the lane scans its batch (axis_scan_team_floats.cuh,
// axis_scan_team_integers.cuh).
#pragma once

#include <algorithm>

#include "cuda/device/block.cuh"
#include "cuda/scan/axis_scan_walk.hpp"

namespace foldline::cuda {

/// Threads of a block, which has one team or several.
inline constexpr int team_threads = 32 * max_team_warps;
/// Lanes of a warp that scan by long numbers.
inline constexpr int long_lanes = 16;

/// A long number in shared memory, not initialised.
struct alignas(ScanState) StateMemory {
  std::byte bytes[sizeof(ScanState)];
  __device__ ScanState* state() { return reinterpret_cast<ScanState*>(bytes); }
};

/// A sum in shared memory, not initialised.
struct SumMemory {
  double high, rest;
  __device__ __forceinline__ TwoDoubles get() const { return {high, rest}; }
  __device__ __forceinline__ void set(const TwoDoubles& sum) {
    high = sum.high;
    rest = sum.rest;
  }
};

/// The warps that scan a part.
template <int Warps>
struct Team {
  static constexpr int of_block = max_team_warps / Warps;
  static constexpr std::int64_t tile = std::int64_t{Warps} * team_tile;

  static __device__ __forceinline__ int number() { return warp() / Warps; }
  static __device__ __forceinline__ int own_warp() { return warp() % Warps; }
  static __device__ __forceinline__ int first_warp() { return warp() - own_warp(); }
  static __device__ __forceinline__ bool is_first_thread() { return own_warp() == 0 && lane() == 0; }
  static __device__ __forceinline__ void sync() {
    if constexpr (Warps == 1)
      __syncwarp();
    else
      __syncthreads();
  }
  /// By all threads, in all of them; a barrier.
  static __device__ __forceinline__ bool all(bool holds) {
    if constexpr (Warps == 1)
      return __all_sync(all_lanes, holds) != 0;
    else
      return __syncthreads_and(holds) != 0;
  }
};

/// A warp's elements, and then results; or its long numbers.
template <class Kind>
struct WarpMemory {
  using Word = typename Kind::Word;
  /// A gap after each batch, so that lanes are in different banks.
  static constexpr int words = team_tile + team_tile / scan_batch;
  static constexpr std::size_t bytes_of_states =
      Kind::has_integer_results ? 0 : (long_lanes + 1) * sizeof(StateMemory);
  alignas(16) std::byte bytes[std::max(words * sizeof(Word), bytes_of_states)];

  __device__ __forceinline__ ScanState* state(int i) {
    return reinterpret_cast<StateMemory*>(bytes)[i].state();
  }
  /// Turns words that are 32 elements apart into neighbouring ones.
  __device__ __forceinline__ void to_neighbours(const Word (&strided)[scan_batch], Word (&own)[scan_batch]) {
    __syncwarp();
    Word* const word = reinterpret_cast<Word*>(bytes);
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) word[place(32 * k + lane())] = strided[k];
    __syncwarp();
    take(own);
  }
  /// The lane's neighbouring words, once more.
  __device__ __forceinline__ void take(Word (&own)[scan_batch]) const {
    const Word* const word = reinterpret_cast<const Word*>(bytes);
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) own[k] = word[place(scan_batch * lane()) + k];
  }
  __device__ __forceinline__ void from_neighbours(const Word (&own)[scan_batch],
                                                  Word (&strided)[scan_batch]) {
    __syncwarp();
    Word* const word = reinterpret_cast<Word*>(bytes);
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) word[place(scan_batch * lane()) + k] = own[k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) strided[k] = word[place(32 * k + lane())];
  }

 private:
  static __device__ __forceinline__ int place(int i) { return i + i / scan_batch; }
};

/// Shared memory of a block.
template <class Kind>
struct TeamMemory {
  WarpMemory<Kind> warps[max_team_warps];
  SumMemory total[max_team_warps];  // of a tile's part
  SumMemory carry[max_team_warps];  // of teams
  StateMemory long_carry[max_team_warps];
  bool is_long[max_team_warps];
};
template <class Kind>
  requires Kind::has_integer_results
struct TeamMemory<Kind> {
  WarpMemory<Kind> warps[max_team_warps];
  std::uint64_t total[2][2][max_team_warps];  // of tiles in turn; low and high words
};

/// A team scans its part.
template <class Kind, int Warps, class Sum>
__device__ __forceinline__ void scan_part(const AxisScanTask& task, const VectorPart& part,
                                          WarpMemory<Kind>& memory, Sum& sum) {
  using Word = typename Kind::Word;
  const int own = Team<Warps>::own_warp() * team_tile + lane();
  const auto count_from = [&](std::int64_t i) { return i < part.length ? (part.length - i + 31) / 32 : 0; };
  const auto take = [&](std::int64_t i, Word(&words)[scan_batch]) {
    read_batch<Kind>(task, part.x + i * task.stride, 32 * task.stride, count_from(i), words);
  };
  Word next[scan_batch];
  take(own, next);
  for (std::int64_t first = 0; first < part.length; first += Team<Warps>::tile) {
    Word words[scan_batch], results[scan_batch];
    memory.to_neighbours(next, words);
    if (first + Team<Warps>::tile < part.length) take(first + Team<Warps>::tile + own, next);
    if (!sum.scan(words, first)) {
      take(first + Team<Warps>::tile + own, next);  // once more, so that no registers are kept for them
      continue;
    }
    memory.from_neighbours(words, results);
    const std::int64_t i = first + own;
    write_batch<Kind>(task, part.out + i * task.out_stride, 32 * task.out_stride, count_from(i), results);
  }
  sum.finish();
}

}  // namespace foldline::cuda
