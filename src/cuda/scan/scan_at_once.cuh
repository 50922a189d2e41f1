// Single-wave scans: the multiprocessors' registers hold all elements at once (compute capability 9.0). Every
// block has one tile, and waits once for the other blocks.
//
// A block loads its tile, sums it, and publishes the sum. While the sums of other blocks are in flight, it
// scans the elements of each warp from zero; then one warp adds up the sums of the blocks before, and each
// warp adds its prefix and stores.
//
// A pipeline (scan_pipeline.cuh) does the same tile by tile, so that loads, sums and stores of different
// tiles overlap. With few tiles its latency through shared memory dominates: for 2^18, 2^20 and 2^22 ints on
// an H200, in a graph, it takes 6.1, 8.1 and 16.4 us, a single wave 3.6, 5.6 and 13.4.
//
// Within a warp, sums have the elements' own type where that is certain to hold them; otherwise the warp
// reads its elements again and uses a wider type. (Correctly rounded scans of floating-point numbers:
// single_wave_exact.cuh.)
//
// An Op provides: `Element`; `Local`, what a warp knows of its elements; `Prefix`, the sum of all elements
// before a warp, including those before the launch; and
// - Sum: of elements of the launch, with identity(), of(words), words(), +, inclusive_scan(lanes),
//   to_exclusive(own), warp_total(), broadcast_last_lane()
// - add(a, b): of elements whose sum fits
// - before(up_to, own): by a warp, the sum of the lanes before
// - Local summarize(x, lane_sum): by a warp, the same in all lanes; sums each lane's elements, and sets
//   `fits` if these sums and their total certainly fit the element type
// - Sum sum(lane_sum): that total, by a warp, in lane 31
// - Prefix prefix(job, before): by a lane
// - is_plain<n>(prefix, local, job): the results of n elements certainly fit the element type
// - Element first(prefix): in that case, what is added to the warp's sums
// - Prefix next(sum, x): by a lane, for a Sum or a Prefix
// - Element rounded(sum, fits): by a lane, a result; clears `fits` if its type cannot hold it
// - store_carry(job, sum): by a warp, stores the sum after the launch
// - padding: the value after the last element, and the sum of no elements
#pragma once

#include "cuda/scan/at_once_tile.cuh"

namespace foldline::cuda {

#if __CUDA_ARCH__ >= 900

template <class Op, int Rounds>
struct ScanAtOnce {
  using Element = typename Op::Element;
  using Sum = typename Op::Sum;
  using Start = typename Op::Start;
  using Tile = AtOnceTile<Element, Rounds>;
  using Quad = typename Tile::Quad;
  static constexpr int warps = at_once_warps, per_quad = Tile::per_quad, of_warp = Tile::of_warp;

  /// Shared memory of a block.
  struct Memory {
    Sum sum[warps];
    Start start[warps];
    Sum all;  // sum of the launch up to this block
  };

  const PipelineJob& job;
  Memory& memory;

  __device__ void run() const {
    const bool finds = warp() == 0;
    Element x[Rounds][per_quad];
    load(x);
    std::uint64_t number = 0;  // of the launch
    if (finds) number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    Element of_lane;
    const typename Op::Local local = Op::look(x, of_lane);
    const Sum sum = local.fits ? Op::sum(of_lane) : sum_again();
    if (lane() == 31) memory.sum[warp()] = sum;
    __syncthreads();
    Told told;
    if (finds) told = tell(number);
    Element before = Op::absent;
    scan_rounds<0, early_rounds>(x, before);
    if (finds) find_starts(told);
    scan_rounds<early_rounds, Rounds>(x, before);
    __syncthreads();
    if (finds && blockIdx.x == gridDim.x - 1) conclude(number);
    const Start start = memory.start[warp()];
    if (Op::template is_plain<of_warp>(start, local, job))
      store(x, Op::first(start));
    else
      scan_again(start);
  }

 private:
  __device__ __forceinline__ Tile tile() const { return {job}; }

  __device__ __forceinline__ void load(Element (&x)[Rounds][per_quad]) const {
    Quad quads[Rounds];
    tile().load(quads, Op::absent);
#pragma unroll
    for (int k = 0; k < Rounds; ++k)
#pragma unroll
      for (int i = 0; i < per_quad; ++i) x[k][i] = quads[k].x[i];
  }

  /// By a warp: replaces some rounds of its elements by their prefix sums; `before_round` is the sum of the
  /// rounds before.
  template <int First, int Last>
  __device__ __forceinline__ void scan_rounds(Element (&x)[Rounds][per_quad], Element& before_round) const {
#pragma unroll
    for (int k = First; k < Last; ++k) {
#pragma unroll
      for (int i = 1; i < per_quad; ++i) x[k][i] = Op::add(x[k][i - 1], x[k][i]);
      const Element own = x[k][per_quad - 1];
      Element up_to = own;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const Element below = __shfl_up_sync(all_lanes, up_to, distance);
        if (lane() >= distance) up_to = Op::add(below, up_to);
      }
      const Element before = Op::add(before_round, Op::before(up_to, own));
      before_round = Op::add(before_round, __shfl_sync(all_lanes, up_to, 31));
      if (job.exclusive) {
#pragma unroll
        for (int i = per_quad - 1; i > 0; --i) x[k][i] = Op::add(before, x[k][i - 1]);
        x[k][0] = before;
      } else {
#pragma unroll
        for (int i = 0; i < per_quad; ++i) x[k][i] = Op::add(before, x[k][i]);
      }
    }
  }

  struct Told {
    unsigned epoch;
    Sum own, up_to;  // of the lane's warp, and up to and including it
    long long time;
  };
  /// By a warp: publishes the block's sum.
  __device__ __forceinline__ Told tell(std::uint64_t number) const {
    const Sum own = lane() < warps ? memory.sum[lane()] : Sum::of_nothing();
    const Told told = {epoch_of(number), own, own.up_to_lane(warps), clock64()};
    if (lane() == warps - 1)
      put_status(job.workspace->status[blockIdx.x], told.up_to.words(), told.epoch, false);
    return told;
  }

  /// Rounds that the warp that computes prefixes scans before it polls other blocks' sums.
  static constexpr int early_rounds = Rounds < 2 ? Rounds : 2;

  /// By the same warp: finds the prefix of each of the block's warps.
  __device__ __forceinline__ void find_starts(const Told& told) const {
    // With the largest tiles, blocks publish so far apart that waiting before polling costs time.
    if (blockIdx.x > 0)
      while (clock64() - told.time < (Rounds < 16 ? cycles_to_wait : 0)) continue;
    Sum part = Sum::of_nothing();
    const auto is_over = [] { return false; };
    for_each_status(job.workspace->status, 0, static_cast<int>(blockIdx.x), told.epoch, is_over,
                    [&](const StatusRead& read) { part = part + Sum::of(read.words()); });
    __syncwarp();
    const Sum before = part.over_warp();
    const Sum of_warps = told.up_to.without(told.own);
    if (lane() < warps) memory.start[lane()] = Op::start(job, before + of_warps);
    if (lane() == warps - 1) memory.all = before + told.up_to;
  }
  /// By the last block: it has all other blocks' sums, so all blocks have read the launch's number.
  __device__ __forceinline__ void conclude(std::uint64_t number) const {
    Op::keep(job, memory.all);
    if (lane() != 0) return;
    job.after->scanned = job.done + job.count;
    job.workspace->number = number;
  }

  __device__ __forceinline__ void store(const Element (&x)[Rounds][per_quad], Element start) const {
    tile().store([&](int k) {
      Quad results;
#pragma unroll
      for (int i = 0; i < per_quad; ++i) results.x[i] = Op::add(start, x[k][i]);
      return results;
    });
  }

  /// The warp's sum in a wider type than the elements'.
  __device__ __noinline__ Sum sum_again() const {
    Sum of_lane = Sum::of_nothing();
    for (int k = 0; k < Rounds; ++k)
      for (const Element element : tile().load_quad(tile().place_of(k), Op::absent).x)
        of_lane = Op::next(of_lane, element);
    return of_lane.over_warp();
  }
  /// The warp's results in a wider type than the elements'.
  __device__ __noinline__ void scan_again(Start start) const {
    constexpr std::int64_t none = INT64_MAX;
    std::int64_t first_misfit = none;
    for (int k = 0; k < Rounds; ++k) {
      const std::int64_t place = tile().place_of(k);
      Quad quad = tile().load_quad(place, Op::absent);
      Start own = Start::of_nothing();
#pragma unroll
      for (const Element element : quad.x) own = Op::next(own, element);
      Start up_to = own.up_to_lane(32);
      Start sum = start + up_to.without(own);
#pragma unroll
      for (int i = 0; i < per_quad; ++i) {
        const Start next = Op::next(sum, quad.x[i]);
        bool fits = true;
        quad.x[i] = Op::rounded(job.exclusive ? sum : next, fits);
        if (!fits && first_misfit == none && place + i < job.count) first_misfit = place + i;
        sum = next;
      }
      tile().store_quad(place, quad);
      start = start + up_to.of_last_lane();
    }
    first_misfit = warp_min(first_misfit);
    if (lane() == 0 && first_misfit != none && job.checked) report_overflow(job, first_misfit);
  }
};

#endif

}  // namespace foldline::cuda
