// Correctly rounded single-wave scans of floats or doubles: the multiprocessors hold all elements at once, in
// one launch whatever the values (compute capability 9.0).
//
// Every block has one tile, and waits once for the other blocks, as in single_wave_scan.cuh. A warp loads its
// vec16s to registers and stages them in shared memory, where the elements of a lane are contiguous: so one
// scan over lanes suffices, and the sum of a lane is exact in one of the modes of warp_frame.cuh.
//
// A block publishes its sum, an integer of 186 bits in units of 2^unit. It chooses the unit, a power of 2^64,
// from its own elements, so it need not wait for a sample of all elements as pipelines do; blocks of ordinary
// data have the same unit or neighbouring ones. A block whose elements no single unit can represent, or with
// non-finite elements, publishes that it failed. It and all later blocks are then scanned from exact sums of
// tiles (single_wave_fallback.cuh), for which they wait in block order; earlier blocks are not affected.
#pragma once

#include <algorithm>
#include <bit>

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/single_wave_fallback.cuh"
#include "cuda/scan/single_wave_tile.cuh"
#include "cuda/scan/warp_frame.cuh"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

/// The type of staged elements. Floats are converted when they arrive, while the units are idle, if shared
/// memory has room for doubles.
template <class T, int Rounds>
using StagedAs = std::conditional_t<Rounds <= 8, double, T>;
/// vec16 per lane in shared memory: an odd number, so that the accesses of lanes do not conflict.
template <class T, int Rounds>
inline constexpr int vec16s_staged = Rounds * static_cast<int>(sizeof(StagedAs<T, Rounds>) / sizeof(T)) | 1;

#if __CUDA_ARCH__ >= 900

template <class T, int Rounds>
struct SingleWaveExact {
  using Tile = SingleWaveTile<T, Rounds>;
  using Vec16 = typename Tile::Vec16;
  static constexpr int per_vec16 = Tile::per_vec16, per_lane = Rounds * per_vec16, warps = single_wave_warps;
  static constexpr int count_bits = std::bit_width(static_cast<unsigned>(Tile::of_warp)) - 1;
  static constexpr T padding = 0;
  using Staged = StagedAs<T, Rounds>;

  struct Total {
    LaneSum sum;
    WarpExtent extent;
    bool is_split;
  };
  /// Shared memory of a block, beside its tile.
  struct Memory {
    Total total[warps];
    WarpPrefix prefix[warps];
    Int192 all;  // sum of the launch up to this block
    int unit;
    FallbackBlock fallback;
  };

  const PipelineJob& job;
  const FallbackScan& fallback;
  Memory& memory;
  std::byte* tile_memory;  // single_wave_exact_bytes bytes

  __device__ void run() const {
    const bool is_prefix_warp = warp() == 0;
    std::uint64_t number = 0;  // of the launch
    if (is_prefix_warp) number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    const Loaded loaded = load();
    const bool plain = plain_sums_are_exact<T, count_bits>(loaded.extent);
    LaneSum before{0, 0};  // sum of the lanes before
    if (plain)
      store_total({LaneSum{loaded.sum, 0}.warp_total(), loaded.extent, true});
    else
      before = add_split(loaded.extent);
    __syncthreads();
    PublishedSum published;
    if (is_prefix_warp) published = publish_sum(number);
    // While the sums of other blocks are in flight.
    if (plain) before = add_plain();
    if (is_prefix_warp) find_prefixes(published);
    __syncthreads();
    if (memory.fallback.is_needed) {
      if (warp() < tile_warps)
        scan_fallback<T>(job, fallback, memory.fallback, per_lane * single_wave_threads, tile_memory);
      return;
    }
    allow_dependent_launch();
    if (is_prefix_warp && blockIdx.x == gridDim.x - 1) finish_launch(number);
    scan_and_store(before);
  }

 private:
  __device__ __forceinline__ Tile tile() const { return {job}; }

  /// The elements of a lane are contiguous in shared memory. Results overwrite them, after they have been
  /// read.
  __device__ __forceinline__ uint4* vec16s_of_lane(int of) const {
    return reinterpret_cast<uint4*>(tile_memory) + (warp() * 32 + of) * vec16s_staged<T, Rounds>;
  }
  __device__ __forceinline__ Staged* elements_of_lane() const {
    return reinterpret_cast<Staged*>(vec16s_of_lane(lane()));
  }
  struct alignas(16) StagedVec16 {
    Staged x[per_vec16];
  };
  __device__ __forceinline__ StagedVec16 vec16_of_lane(int q) const {
    return reinterpret_cast<const StagedVec16*>(elements_of_lane())[q];
  }

  /// The extent of a warp's elements, and the plain sum of the elements that the lane loads. These are not
  /// the contiguous elements that it scans, but are available while others are still in flight, so the
  /// block's sum is published sooner.
  struct Loaded {
    WarpExtent extent;
    double sum;
  };
  __device__ __forceinline__ Loaded load() const {
    Vec16 vec16s[Rounds];
    tile().load(vec16s, padding);
    ExtentObserver<T> observer;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < Rounds; ++k) {
      StagedVec16 staged;
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) {
        observer.observe(vec16s[k].x[i]);
        if constexpr (sizeof(T) == 4) sum = Add(sum, static_cast<double>(vec16s[k].x[i]));
        staged.x[i] = static_cast<Staged>(vec16s[k].x[i]);
      }
      const int i = k * 32 + lane();
      reinterpret_cast<StagedVec16*>(vec16s_of_lane(i / Rounds))[i % Rounds] = staged;
    }
    WarpExtent extent = observer.combined();
    __syncwarp();
    if (extent.lowest_bit < extent.top - max_exponent_span)
      extent.lowest_bit = exact_lowest_bit(elements_of_lane(), per_lane);
    return {extent, sum};
  }

  static constexpr int unrolled = Rounds < 2 ? Rounds : 2;

  /// The last lane stores the warp's total.
  __device__ __forceinline__ void store_total(const Total& total) const {
    if (lane() == 31) memory.total[warp()] = total;
  }
  /// Returns the plain sum of the lanes before.
  __device__ __forceinline__ LaneSum add_plain() const {
    LaneSum own{0, 0};
#pragma unroll unrolled
    for (int q = 0; q < Rounds; ++q)
      for (const Staged x : vec16_of_lane(q).x) own.high = Add(own.high, static_cast<double>(x));
    return own.inclusive_scan().to_exclusive(own);
  }
  /// Returns the split sum of the lanes before, and stores the warp's total.
  __device__ __forceinline__ LaneSum add_split(const WarpExtent& extent) const {
    const bool split = split_sums_are_exact<count_bits>(extent);
    LaneSum own{0, 0};
    if (split) {
      const double anchor = anchor_to_reduce<count_bits>(extent);
      SplitSum sum{anchor, 0};
#pragma unroll unrolled
      for (int q = 0; q < Rounds; ++q)
        for (const Staged x : vec16_of_lane(q).x) sum.add(static_cast<double>(x));
      own = {Sub(sum.high, anchor), sum.low};
    }
    const LaneSum up_to = own.inclusive_scan();
    store_total({up_to, extent, split});
    return up_to.to_exclusive(own);
  }

  /// A published block sum. A lane has the sum of its warp, and the sum up to and including it.
  struct PublishedSum {
    std::uint64_t number;
    Int192 up_to, own;
    int unit, top, lowest_bit;
    bool failed;
    long long published_at;  // clock64()
  };
  __device__ __forceinline__ PublishedSum publish_sum(std::uint64_t number) const {
    const int block = static_cast<int>(blockIdx.x);
    const Total total = memory.total[lane() % warps];
    // All zeros: use sentinels, so that max and min ignore them.
    constexpr int beyond = beyond_windows;
    const int top = static_cast<int>(warp_max(static_cast<unsigned>(beyond + total.extent.top))) - beyond;
    const int lowest_bit =
        beyond - static_cast<int>(warp_max(static_cast<unsigned>(beyond - total.extent.lowest_bit)));
    const int own_unit = unit_for(top, lowest_bit);
    const bool failed = __any_sync(all_lanes, !total.is_split) || top > max_top ||
                        lowest_bit < min_lowest_bit || !status_holds(top, own_unit) ||
                        (block == 0 && begins_with_negative_zero());
    const Int192 own = lane() < warps && !failed ? total.sum.in_units(own_unit) : Int192{};
    const Int192 up_to = inclusive_warp_scan(own, warps);
    if (lane() == warps - 1)
      publish_status(job.workspace->status[block], pack_unit(up_to, own_unit), epoch_of(number), failed);
    return {number, up_to, own, own_unit, top, lowest_bit, failed, clock64()};
  }

  /// By the same warp: finds the prefix of each of the block's warps.
  __device__ __forceinline__ void find_prefixes(const PublishedSum& published) const {
    const auto& [number, up_to, own, own_unit, top, lowest_bit, failed, published_at] = published;
    const int block = static_cast<int>(blockIdx.x);
    const unsigned epoch = epoch_of(number);
    TileStatus* const status = job.workspace->status;
    // With more to load, blocks publish their sums further apart, and polling later disturbs them less.
    constexpr long long wait = Rounds < 4 ? polling_delay : Rounds < 8 ? 1200 : 2000;
    if (block > 0)
      while (clock64() - published_at < wait) continue;
    Int192 part{};
    bool is_of_unit = true, some_failed = failed;
    const auto is_stopped = [] { return false; };
    for_each_status(status, 0, block, epoch, is_stopped, [&](const StatusRead& read) {
      const Int192 packed = read.words(), sum = unpack_sum(packed);
      part = part + sum;
      is_of_unit = is_of_unit && (unpack_unit(packed) == own_unit || is_zero(sum));
      some_failed = some_failed || read.failed();
    });
    __syncwarp();
    some_failed = __any_sync(all_lanes, some_failed);
    const Total total = memory.total[lane() % warps];
    Int192 before = warp_sum(part), of_warps = up_to - own, of_block = up_to;
    int unit = own_unit;
    bool fits = !some_failed;
    if (fits && !__all_sync(all_lanes, is_of_unit)) {
      // The block's own sum must be a multiple of the unit, and fit, unless it is all zeros.
      const SumInUnits sum = add_units(status, block, own_unit);
      before = sum.sum;
      unit = sum.unit;
      fits = sum.is_known &&
             (lowest_bit == beyond_windows || (unit <= own_unit && top + max_count_bits <= unit + 189));
      if (fits && unit < own_unit) {
        const Int192 in_unit = lane() < warps ? total.sum.in_units(unit) : Int192{};
        of_block = inclusive_warp_scan(in_unit, warps);
        of_warps = of_block - in_unit;
      }
    }
    if (fits && lane() < warps)
      memory.prefix[lane()] =
          warp_prefix<T, count_bits, per_lane>(before + of_warps, unit, total.extent, false);
    if (lane() != warps - 1) return;
    memory.all = before + of_block;
    memory.unit = unit;
    memory.fallback = {!fits, some_failed, number};
  }
  /// Above the first, sums may overflow; below the second, the leading bits of a sum may be no normal number.
  static constexpr int max_top = 960, min_lowest_bit = -950;
  /// Integers cannot represent results of -0.
  __device__ __forceinline__ bool begins_with_negative_zero() const {
    const T first = *reinterpret_cast<const T*>(job.x);
    return job.before.row[other_than_negative_zero_row] == 0 &&
           (job.exclusive || bits_of(static_cast<double>(first)) == sign_bit);
  }
  /// By the last block: it has all other blocks' sums, so all blocks have read the launch's number.
  __device__ __forceinline__ void finish_launch(std::uint64_t number) const {
    ScanCarry& carry = *job.after;
    set_limbs(carry, memory.all, memory.unit);
    if (lane() < scan_rows - limb_rows)
      carry.row[limb_rows + lane()] = limb_rows + lane() == other_than_negative_zero_row ? 1 : 0;
    if (lane() != 0) return;
    carry.scanned = job.done + job.count;
    job.workspace->number = number;
  }

  /// By a warp: replaces its elements in shared memory by results, and stores these; `before` is the sum of
  /// the lanes before.
  __device__ __forceinline__ void scan_and_store(const LaneSum& before) const {
    const WarpPrefix& prefix = memory.prefix[warp()];
    if (prefix.mode == WarpSumMode::integer) {
      store_int192_results<per_lane>(elements_of_lane(), reinterpret_cast<T*>(vec16s_of_lane(lane())),
                                     prefix.before + before.in_units(memory.unit), memory.unit,
                                     job.exclusive);
      for (int q = 0; q < Rounds; q += stored_at_once) store(q);
      return;
    }
    with_sum_before_lane<T>(prefix, before, [&](const auto& sum) {
      if (job.exclusive)
        scan_from<true>(sum);
      else
        scan_from<false>(sum);
    });
  }
  template <bool Exclusive, class LanePrefix>
  __device__ __forceinline__ void scan_from(LanePrefix sum) const {
    uint4* const vec16s = vec16s_of_lane(lane());
#pragma unroll 1
    for (int first = 0; first < Rounds; first += stored_at_once) {
#pragma unroll unrolled
      for (int q = first; q < first + stored_at_once; ++q)
        sum = store_vec16_result<Exclusive, T>(vec16_of_lane(q).x, sum, vec16s + q);
      store(first);
    }
  }

  /// The number of vec16 of results per lane that are stored while the next ones are computed.
  static constexpr int stored_at_once = Rounds < 4 ? Rounds : Rounds < 8 ? Rounds / 2 : 4;
  /// Stores the results from vec16 `first` of each lane on.
  __device__ __forceinline__ void store(int first) const {
    __syncwarp();
    const auto store_each = [&](bool whole, int k) {
      const int i = k * 32 + lane(), of = i / stored_at_once, q = first + i % stored_at_once;
      const uint4 results = vec16s_of_lane(of)[q];
      tile().store_vec16_of_warp(of * Rounds + q, *reinterpret_cast<const Vec16*>(&results), whole);
    };
    if (tile().is_whole()) {
#pragma unroll
      for (int k = 0; k < stored_at_once; ++k) store_each(true, k);
    } else {
#pragma unroll 1
      for (int k = 0; k < stored_at_once; ++k) store_each(false, k);
    }
  }
};

#endif

/// Shared memory of a block for its tile.
template <class T, int Rounds>
inline constexpr std::size_t single_wave_exact_bytes = std::max<std::size_t>(
    std::size_t{16} * single_wave_threads * vec16s_staged<T, Rounds>, sizeof(FallbackScratch<T>));

template <class T, int Rounds>
__global__ void __launch_bounds__(single_wave_threads, 1)
    single_wave_exact_scan([[maybe_unused]] const __grid_constant__ PipelineJob job,
                           [[maybe_unused]] const __grid_constant__ FallbackScan fallback) {
#if __CUDA_ARCH__ >= 900
  wait_for_previous_launch();
  using Scan = SingleWaveExact<T, Rounds>;
  __shared__ typename Scan::Memory memory;
  Scan{job, fallback, memory, dynamic_memory()}.run();
#endif
}

template <class T>
void launch_single_wave_exact(const Scan& scan, const PipelineLaunch& launch) {
  FallbackScan fallback{ScanJob(scan, 0, 0), format_of(scan.out.type())};
  in_fewest_rounds<T>(scan, launch, [&]<int Rounds>(PipelineJob job) {
    void* arguments[] = {&job, &fallback};
    launch_scan_kernel(reinterpret_cast<const void*>(&single_wave_exact_scan<T, Rounds>), job.tiles,
                       single_wave_threads, single_wave_exact_bytes<T, Rounds>, arguments, launch.stream);
  });
}

}  // namespace foldline::cuda
