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

#include "cuda/scan/at_once_tile.cuh"
#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/pipeline_launch.cuh"
#include "cuda/scan/slow_at_once.cuh"
#include "cuda/scan/warp_frame.cuh"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

/// The type of staged elements. Floats are converted when they arrive, while the units are idle, if shared
/// memory has room for doubles.
template <class T, int Rounds>
using HeldAs = std::conditional_t<Rounds <= 8, double, T>;
/// vec16 per lane in shared memory: an odd number, so that the accesses of lanes do not conflict.
template <class T, int Rounds>
inline constexpr int quads_held = Rounds * static_cast<int>(sizeof(HeldAs<T, Rounds>) / sizeof(T)) | 1;

#if __CUDA_ARCH__ >= 900

template <class T, int Rounds>
struct ExactAtOnce {
  using Tile = AtOnceTile<T, Rounds>;
  using Quad = typename Tile::Quad;
  static constexpr int per_quad = Tile::per_quad, per_lane = Rounds * per_quad, warps = at_once_warps;
  static constexpr int count_bits = std::bit_width(static_cast<unsigned>(Tile::of_warp)) - 1;
  static constexpr T absent = 0;
  using Held = HeldAs<T, Rounds>;

  struct Total {
    LaneSum sum;
    WarpExtent extent;
    bool is_narrow;
  };
  /// Shared memory of a block, beside its tile.
  struct Memory {
    Total total[warps];
    WarpStart start[warps];
    Wide all;  // sum of the launch up to this block
    int unit;
    SlowBlock slow;
  };

  const PipelineJob& job;
  const SlowScan& slow;
  Memory& memory;
  std::byte* tile_memory;  // single_wave_exact_bytes bytes

  __device__ void run() const {
    const bool finds = warp() == 0;
    std::uint64_t number = 0;  // of the launch
    if (finds) number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    const Loaded loaded = load();
    const bool plain = adds_plainly<T, count_bits>(loaded.extent);
    LaneSum before{0, 0};  // sum of the lanes before
    if (plain)
      leave_total({LaneSum{loaded.sum, 0}.over_warp(), loaded.extent, true});
    else
      before = add_narrowly(loaded.extent);
    __syncthreads();
    Told told;
    if (finds) told = tell_sum(number);
    // While the sums of other blocks are in flight.
    if (plain) before = add_plainly();
    if (finds) find_starts(told);
    __syncthreads();
    if (memory.slow.is_needed) {
      if (warp() < tile_warps)
        scan_slowly<T>(job, slow, memory.slow, per_lane * at_once_threads, tile_memory);
      return;
    }
    let_next_launch_begin();
    if (finds && blockIdx.x == gridDim.x - 1) conclude(number);
    scan_and_store(before);
  }

 private:
  __device__ __forceinline__ Tile tile() const { return {job}; }

  /// The elements of a lane are contiguous in shared memory. Results overwrite them, after they have been
  /// read.
  __device__ __forceinline__ uint4* quads_of_lane(int of) const {
    return reinterpret_cast<uint4*>(tile_memory) + (warp() * 32 + of) * quads_held<T, Rounds>;
  }
  __device__ __forceinline__ Held* elements_of_lane() const {
    return reinterpret_cast<Held*>(quads_of_lane(lane()));
  }
  struct alignas(16) HeldQuad {
    Held x[per_quad];
  };
  __device__ __forceinline__ HeldQuad quad_of_lane(int q) const {
    return reinterpret_cast<const HeldQuad*>(elements_of_lane())[q];
  }

  /// The extent of a warp's elements, and the plain sum of the elements that the lane loads. These are not
  /// the contiguous elements that it scans, but are available while others are still in flight, so the
  /// block's sum is published sooner.
  struct Loaded {
    WarpExtent extent;
    double sum;
  };
  __device__ __forceinline__ Loaded load() const {
    Quad quads[Rounds];
    tile().load(quads, absent);
    ExtentOfWarp<T> look;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < Rounds; ++k) {
      HeldQuad held;
#pragma unroll
      for (int i = 0; i < per_quad; ++i) {
        look.look_at(quads[k].x[i]);
        if constexpr (sizeof(T) == 4) sum = Add(sum, static_cast<double>(quads[k].x[i]));
        held.x[i] = static_cast<Held>(quads[k].x[i]);
      }
      const int i = k * 32 + lane();
      reinterpret_cast<HeldQuad*>(quads_of_lane(i / Rounds))[i % Rounds] = held;
    }
    WarpExtent extent = look.over_warp();
    __syncwarp();
    if (extent.place < extent.top - usual_bits) extent.place = true_place(elements_of_lane(), per_lane);
    return {extent, sum};
  }

  static constexpr int unrolled = Rounds < 2 ? Rounds : 2;

  /// The last lane stores the warp's total.
  __device__ __forceinline__ void leave_total(const Total& total) const {
    if (lane() == 31) memory.total[warp()] = total;
  }
  /// Returns the plain sum of the lanes before.
  __device__ __forceinline__ LaneSum add_plainly() const {
    LaneSum own{0, 0};
#pragma unroll unrolled
    for (int q = 0; q < Rounds; ++q)
      for (const Held x : quad_of_lane(q).x) own.high = Add(own.high, static_cast<double>(x));
    return own.up_to_lane().without(own);
  }
  /// Returns the split sum of the lanes before, and stores the warp's total.
  __device__ __forceinline__ LaneSum add_narrowly(const WarpExtent& extent) const {
    const bool narrow = adds_narrowly<count_bits>(extent);
    LaneSum own{0, 0};
    if (narrow) {
      const double anchor = anchor_to_reduce<count_bits>(extent);
      SplitSum sum{anchor, 0};
#pragma unroll unrolled
      for (int q = 0; q < Rounds; ++q)
        for (const Held x : quad_of_lane(q).x) sum.add(static_cast<double>(x));
      own = {Sub(sum.high, anchor), sum.low};
    }
    const LaneSum up_to = own.up_to_lane();
    leave_total({up_to, extent, narrow});
    return up_to.without(own);
  }

  /// A published block sum. A lane has the sum of its warp, and the sum up to and including it.
  struct Told {
    std::uint64_t number;
    Wide up_to, own;
    int unit, top, place;
    bool failed;
    long long at;  // clock64()
  };
  __device__ __forceinline__ Told tell_sum(std::uint64_t number) const {
    const int block = static_cast<int>(blockIdx.x);
    const Total total = memory.total[lane() % warps];
    // All zeros: use sentinels, so that max and min ignore them.
    constexpr int beyond = beyond_windows;
    const int top = static_cast<int>(warp_max(static_cast<unsigned>(beyond + total.extent.top))) - beyond;
    const int place = beyond - static_cast<int>(warp_max(static_cast<unsigned>(beyond - total.extent.place)));
    const int own_unit = unit_for(top, place);
    const bool failed = __any_sync(all_lanes, !total.is_narrow) || top > highest_top ||
                        place < lowest_place || !status_holds(top, own_unit) ||
                        (block == 0 && begins_with_negative_zero());
    const Wide own = lane() < warps && !failed ? total.sum.in_units(own_unit) : Wide{};
    const Wide up_to = sum_up_to_lane(own, warps);
    if (lane() == warps - 1)
      put_status(job.workspace->status[block], with_unit(up_to, own_unit), epoch_of(number), failed);
    return {number, up_to, own, own_unit, top, place, failed, clock64()};
  }

  /// By the same warp: finds the prefix of each of the block's warps.
  __device__ __forceinline__ void find_starts(const Told& told) const {
    const auto& [number, up_to, own, own_unit, top, place, failed, told_at] = told;
    const int block = static_cast<int>(blockIdx.x);
    const unsigned epoch = epoch_of(number);
    TileStatus* const status = job.workspace->status;
    // With more to load, blocks publish their sums further apart, and polling later disturbs them less.
    constexpr long long wait = Rounds < 4 ? cycles_to_wait : Rounds < 8 ? 1200 : 2000;
    if (block > 0)
      while (clock64() - told_at < wait) continue;
    Wide part{};
    bool is_of_unit = true, some_failed = failed;
    const auto is_over = [] { return false; };
    for_each_status(status, 0, block, epoch, is_over, [&](const StatusRead& read) {
      const Wide packed = read.words(), sum = without_unit(packed);
      part = part + sum;
      is_of_unit = is_of_unit && (unit_in(packed) == own_unit || is_zero(sum));
      some_failed = some_failed || read.failed();
    });
    __syncwarp();
    some_failed = __any_sync(all_lanes, some_failed);
    const Total total = memory.total[lane() % warps];
    Wide before = warp_sum(part), of_warps = up_to - own, of_block = up_to;
    int unit = own_unit;
    bool fits = !some_failed;
    if (fits && !__all_sync(all_lanes, is_of_unit)) {
      // The block's own sum must be a multiple of the unit, and fit, unless it is all zeros.
      const SumInUnits sum = add_units(status, block, own_unit);
      before = sum.sum;
      unit = sum.unit;
      fits = sum.is_known &&
             (place == beyond_windows || (unit <= own_unit && top + most_count_bits <= unit + 189));
      if (fits && unit < own_unit) {
        const Wide in_unit = lane() < warps ? total.sum.in_units(unit) : Wide{};
        of_block = sum_up_to_lane(in_unit, warps);
        of_warps = of_block - in_unit;
      }
    }
    if (fits && lane() < warps)
      memory.start[lane()] =
          warp_start<T, count_bits, per_lane>(before + of_warps, unit, total.extent, false);
    if (lane() != warps - 1) return;
    memory.all = before + of_block;
    memory.unit = unit;
    memory.slow = {!fits, some_failed, number};
  }
  /// Above the first, sums may overflow; below the second, the leading bits of a sum may be no normal number.
  static constexpr int highest_top = 960, lowest_place = -950;
  /// Integers cannot represent results of -0.
  __device__ __forceinline__ bool begins_with_negative_zero() const {
    const T first = *reinterpret_cast<const T*>(job.x);
    return job.before.row[other_than_negative_zero_row] == 0 &&
           (job.exclusive || bits_of(static_cast<double>(first)) == sign_bit);
  }
  /// By the last block: it has all other blocks' sums, so all blocks have read the launch's number.
  __device__ __forceinline__ void conclude(std::uint64_t number) const {
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
    const WarpStart& start = memory.start[warp()];
    if (start.way == Way::wide) {
      put_wide_results<per_lane>(elements_of_lane(), reinterpret_cast<T*>(quads_of_lane(lane())),
                                 start.before + before.in_units(memory.unit), memory.unit, job.exclusive);
      for (int q = 0; q < Rounds; q += stored_at_once) store(q);
      return;
    }
    with_sum_before_lane<T>(start, before, [&](const auto& sum) {
      if (job.exclusive)
        scan_from<true>(sum);
      else
        scan_from<false>(sum);
    });
  }
  template <bool Exclusive, class LaneStart>
  __device__ __forceinline__ void scan_from(LaneStart sum) const {
    uint4* const quads = quads_of_lane(lane());
#pragma unroll 1
    for (int first = 0; first < Rounds; first += stored_at_once) {
#pragma unroll unrolled
      for (int q = first; q < first + stored_at_once; ++q)
        sum = put_quad<Exclusive, T>(quad_of_lane(q).x, sum, quads + q);
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
      const uint4 results = quads_of_lane(of)[q];
      tile().store_quad_of_warp(of * Rounds + q, *reinterpret_cast<const Quad*>(&results), whole);
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
inline constexpr std::size_t exact_at_once_bytes =
    std::max<std::size_t>(std::size_t{16} * at_once_threads * quads_held<T, Rounds>, sizeof(SlowRoom<T>));

template <class T, int Rounds>
__global__ void __launch_bounds__(at_once_threads, 1)
    scan_exactly_at_once([[maybe_unused]] const __grid_constant__ PipelineJob job,
                         [[maybe_unused]] const __grid_constant__ SlowScan slow) {
#if __CUDA_ARCH__ >= 900
  wait_for_launch_before();
  using Scan = ExactAtOnce<T, Rounds>;
  __shared__ typename Scan::Memory memory;
  Scan{job, slow, memory, dynamic_memory()}.run();
#endif
}

template <class T>
void launch_exactly_at_once(const Scan& scan, const PipelineLaunch& launch) {
  SlowScan slow{ScanJob(scan, 0, 0), format_of(scan.out.type())};
  in_fewest_rounds<T>(scan, launch, [&]<int Rounds>(PipelineJob job) {
    void* arguments[] = {&job, &slow};
    start_scan(&scan_exactly_at_once<T, Rounds>, job.tiles, at_once_threads, exact_at_once_bytes<T, Rounds>,
               arguments, launch.stream);
  });
}

}  // namespace foldline::cuda
