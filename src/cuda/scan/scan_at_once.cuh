// Scans of so few elements that the multiprocessors' registers hold all of them at a time (compute capability
// 9.0): every block has one tile, and the whole scan waits for other blocks once.
//
// A block loads its tile, adds it up, and tells all others the sum; while these sums travel it scans its
// elements from the beginning of each warp's; one of its warps adds up what the blocks before told, and what
// is left to do is to add that and to store.
//
// A pipeline (scan_pipeline.cuh) does the same tile by tile, so that loads, sums and stores of different
// tiles overlap. Of few elements it has few tiles, and the way through its shared memory is what takes the
// time: on an H200, from a graph, 2^18, 2^20 and 2^22 ints take 6.1, 8.1 and 16.4 us that way, 3.6, 5.6 and
// 13.4 this one; one block's tile in shared memory instead of registers 5.0 for 2^18. (Registers as a ring of
// four tiles, so that the stores of one overlap the loads of the next: 15.4 us for 2^21, for each tile waits
// for other blocks again.)
//
// Within a warp sums are of the elements' own type where that is certain to hold them; if not, the warp reads
// its elements again and uses wider ones. (Scans of floats and doubles that are rounded correctly:
// exact_at_once.cuh.)
//
// What an Op says: `Element`; `Local`, what a warp knows of its elements; `Start`, the sum of all elements
// before a warp, those before the launch too; and
//   Sum                       of elements of the launch: of_nothing(), of(words), words(), +,
//                             up_to_lane(lanes), without(own), over_warp(), of_last_lane()
//   add(a, b)                 of elements, if it fits
//   before(up_to, own)        by a warp: the sum of the lanes before
//   Local look(x, of_lane)    by a warp, the same in all lanes; adds up the elements of each, and says with
//                             `fits` whether that and the sum of all lanes is sure to fit their type; then
//   Sum sum(of_lane)          is this, by a warp, in lane 31
//   Start start(job, before)  by a lane
//   is_plain<n>(start, local, job)   whether n elements' results need no more than their own type; then
//   Element first(start)      is what is added to the warp's sums
//   Start next(sum, x)        by a lane, of a Sum and of a Start
//   Element rounded(sum, fits)   by a lane, a result; `fits` becomes false if its type does not hold it
//   keep(job, sum)            by a warp: leaves the sum after the launch
//   absent                    what stands behind the last element, and is the sum of none
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

  /// Of a block.
  struct Memory {
    Sum sum[warps];
    Start start[warps];
    Sum all;  // of the launch up to this block
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

  /// By a warp: some rounds of its elements become sums from its first element on; `before_round` is that of
  /// the rounds before.
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
    Sum own, up_to;  // of the lane's warp, and with those before it
    long long time;
  };
  /// By a warp: tells the block's sum.
  __device__ __forceinline__ Told tell(std::uint64_t number) const {
    const Sum own = lane() < warps ? memory.sum[lane()] : Sum::of_nothing();
    const Told told = {epoch_of(number), own, own.up_to_lane(warps), clock64()};
    if (lane() == warps - 1)
      put_status(job.workspace->status[blockIdx.x], told.up_to.words(), told.epoch, false);
    return told;
  }

  /// What the warp that finds scans before it looks for other blocks' sums.
  static constexpr int early_rounds = Rounds < 2 ? Rounds : 2;

  /// By the same warp: finds what each of the block's warps begins with.
  __device__ __forceinline__ void find_starts(const Told& told) const {
    // With most to load, blocks tell their sums so far apart that whoever waits is late: 2^22 floats 13.6 us
    // instead of 13.75.
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
  /// By the last block, which has found all others' sums, so that all have read the launch's number.
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

  /// The sum by a warp that needs more than elements' own type for it.
  __device__ __noinline__ Sum sum_again() const {
    Sum of_lane = Sum::of_nothing();
    for (int k = 0; k < Rounds; ++k)
      for (const Element element : tile().load_quad(tile().place_of(k), Op::absent).x)
        of_lane = Op::next(of_lane, element);
    return of_lane.over_warp();
  }
  /// The results by a warp that needs more than elements' own type for them.
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
