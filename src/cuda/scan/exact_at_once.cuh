// Scans of so few floats or doubles that the multiprocessors hold all of them at a time, correctly rounded,
// in one launch whatever the elements are (compute capability 9.0).
//
// Every block has one tile, and the whole scan waits for other blocks once, as in scan_at_once.cuh. A warp's
// quads come to registers and go to shared memory, in which each lane has neighbours: so there is one scan
// over lanes, and what a lane adds up is exact in one of the ways of warp_frame.cuh.
//
// A block tells all others its sum, an integer of 186 bits in units of 2^unit. The unit is its own, a power
// of 2^64, chosen from its elements, so nobody waits for a sample of all elements, as pipelines do; blocks of
// ordinary data have the same unit, or neighbouring ones. A block with elements that one unit does not hold,
// or which are not finite, tells that it failed. It and all after it are scanned from the exact sums of
// tiles (slow_at_once.cuh), for which they wait in the order of blocks: the blocks before need not know.
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

/// What elements are in shared memory: floats are converted as they come, while there is nothing else to do,
/// if there is room.
template <class T, int Rounds>
using HeldAs = std::conditional_t<Rounds <= 8, double, T>;
/// Quads of a lane there, and one more if that is an even number, so that lanes' accesses do not collide.
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
  /// Of a block, beside its tile.
  struct Memory {
    Total total[warps];
    WarpStart start[warps];
    Wide all;  // of the launch up to this block
    int unit;
    SlowBlock slow;
  };

  const PipelineJob& job;
  const SlowScan& slow;
  Memory& memory;
  std::byte* tile_memory;  // of exact_at_once_bytes

  __device__ void run() const {
    const bool finds = warp() == 0;
    std::uint64_t number = 0;  // of the launch
    if (finds) number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    const Loaded loaded = load();
    const bool plain = adds_plainly<T, count_bits>(loaded.extent);
    LaneSum before{0, 0};  // of the lanes before
    if (plain)
      leave_total({LaneSum{loaded.sum, 0}.over_warp(), loaded.extent, true});
    else
      before = add_narrowly(loaded.extent);
    __syncthreads();
    Told told;
    if (finds) told = tell_sum(number);
    // While the others' sums are on their way.
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

  /// A lane's elements in shared memory are neighbours; results are written over them, no sooner than they
  /// have been read.
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

  /// What a warp knows of its elements, and what the lane has added of them in the plain way: of those that
  /// it loads, which are not its neighbours, but while others are on their way, so that the block's sum is
  /// told sooner. (Each time that 2^22 floats are made doubles takes a microsecond. This and storing
  /// early: 15.5 us instead of 18.1; 2^20 floats 7.0 instead of 8.1.)
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

  /// By the last lane, that of its warp.
  __device__ __forceinline__ void leave_total(const Total& total) const {
    if (lane() == 31) memory.total[warp()] = total;
  }
  /// Returns the sum of the lanes before.
  __device__ __forceinline__ LaneSum add_plainly() const {
    LaneSum own{0, 0};
#pragma unroll unrolled
    for (int q = 0; q < Rounds; ++q)
      for (const Held x : quad_of_lane(q).x) own.high = Add(own.high, static_cast<double>(x));
    return own.up_to_lane().without(own);
  }
  /// The same in the narrow way, which needs an anchor; leaves the warp's total.
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

  /// What a block has told the others, by a warp; a lane has the sums up to its warp, and of that.
  struct Told {
    std::uint64_t number;
    Wide up_to, own;
    int unit, top, place;
    bool failed;
    long long at;  // by the clock
  };
  __device__ __forceinline__ Told tell_sum(std::uint64_t number) const {
    const int block = static_cast<int>(blockIdx.x);
    const Total total = memory.total[lane() % warps];
    // Of zeros alone the place is beyond all others, and the top below.
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

  /// By the same warp: finds what each of the block's warps begins with.
  __device__ __forceinline__ void find_starts(const Told& told) const {
    const auto& [number, up_to, own, own_unit, top, place, failed, told_at] = told;
    const int block = static_cast<int>(blockIdx.x);
    const unsigned epoch = epoch_of(number);
    TileStatus* const status = job.workspace->status;
    // With much to load, blocks tell their sums further apart. (2^20 floats, of 4 rounds: 7.9 us after 400
    // cycles, 7.0 after 800 or 1200, 7.8 without; 2^20 doubles, of 8: 12.0 after 800, 10.9 after 1200, 10.6
    // after 1600, 10.5 after 2000.)
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
      // What the block has, if not zeros alone, must be multiples of the unit, too, and not too many.
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
  /// Above it sums might leave the range, and below this the leading bits of one might be no normal number.
  static constexpr int highest_top = 960, lowest_place = -950;
  /// Integers do not know results of -0.
  __device__ __forceinline__ bool begins_with_negative_zero() const {
    const T first = *reinterpret_cast<const T*>(job.x);
    return job.before.row[other_than_negative_zero_row] == 0 &&
           (job.exclusive || bits_of(static_cast<double>(first)) == sign_bit);
  }
  /// By the last block, which has found all others' sums, so that all have read the launch's number.
  __device__ __forceinline__ void conclude(std::uint64_t number) const {
    ScanCarry& carry = *job.after;
    set_limbs(carry, memory.all, memory.unit);
    if (lane() < scan_rows - limb_rows)
      carry.row[limb_rows + lane()] = limb_rows + lane() == other_than_negative_zero_row ? 1 : 0;
    if (lane() != 0) return;
    carry.scanned = job.done + job.count;
    job.workspace->number = number;
  }

  /// By a warp: the results, over its elements in shared memory, and from there to their place; `before` are
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

  /// Quads of results of each lane that are stored while the next ones are found. (2^22 floats, of 16 quads a
  /// lane: 16.7 us by eight, 15.5 by four, 16.4 by two; 2^20 doubles, of eight: 11.3 all at the end, 10.6 by
  /// four, 11.2 by two; 2^20 floats, of four: 8.1 at the end, 7.0 by two.)
  static constexpr int stored_at_once = Rounds < 4 ? Rounds : Rounds < 8 ? Rounds / 2 : 4;
  /// Those from a quad of each lane on.
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

/// Shared memory of a block, beside what it knows of its warps.
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
