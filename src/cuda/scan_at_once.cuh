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
// A warp has `Rounds` times 32 neighbouring quads of 16 bytes, a lane one quad of each round: every load and
// every store of a warp is 512 neighbouring bytes. Within a warp sums are of the elements' own type where
// that is certain to hold them; if not, the warp reads its elements again and uses wider ones.
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

#include "cuda/pipeline_memory.cuh"

namespace foldline::cuda {

inline constexpr int at_once_threads = 512;

/// Bytes of a tile.
template <int Rounds>
inline constexpr std::int64_t at_once_tile = std::int64_t{16} * at_once_threads * Rounds;

#if __CUDA_ARCH__ >= 900

template <class Op, int Rounds>
struct ScanAtOnce {
  using Element = typename Op::Element;
  using Sum = typename Op::Sum;
  using Start = typename Op::Start;
  static constexpr int warps = at_once_threads / 32, per_quad = 16 / sizeof(Element);
  static constexpr int of_warp = Rounds * 32 * per_quad;

  struct alignas(16) Quad {
    Element x[per_quad];
  };
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
  /// The warp's first element.
  __device__ __forceinline__ std::int64_t first() const {
    return (std::int64_t{blockIdx.x} * warps + warp()) * of_warp;
  }
  __device__ __forceinline__ bool is_whole() const { return first() + of_warp <= job.count; }
  /// The lane's first element of a round.
  __device__ __forceinline__ std::int64_t place_of(int round) const {
    return first() + (round * 32 + lane()) * per_quad;
  }

  __device__ __forceinline__ Quad load_quad(std::int64_t place) const {
    const auto* const from = reinterpret_cast<const Element*>(job.x);
    Quad quad;
#pragma unroll
    for (int i = 0; i < per_quad; ++i) quad.x[i] = place + i < job.count ? from[place + i] : Op::absent;
    return quad;
  }
  __device__ __forceinline__ void store_quad(std::int64_t place, const Quad& quad) const {
    auto* const to = reinterpret_cast<Element*>(job.out);
#pragma unroll
    for (int i = 0; i < per_quad; ++i)
      if (place + i < job.count) to[place + i] = quad.x[i];
  }

  __device__ __forceinline__ void load(Element (&x)[Rounds][per_quad]) const {
    if (is_whole()) {
      const auto* const quads = reinterpret_cast<const uint4*>(job.x) + first() / per_quad + lane();
#pragma unroll
      for (int k = 0; k < Rounds; ++k) take(x[k], __ldcs(quads + 32 * k));
    } else {
#pragma unroll
      for (int k = 0; k < Rounds; ++k) {
        const Quad quad = load_quad(place_of(k));
#pragma unroll
        for (int i = 0; i < per_quad; ++i) x[k][i] = quad.x[i];
      }
    }
  }
  static __device__ __forceinline__ void take(Element (&x)[per_quad], const uint4& quad) {
    const Quad elements = *reinterpret_cast<const Quad*>(&quad);
#pragma unroll
    for (int i = 0; i < per_quad; ++i) x[i] = elements.x[i];
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

  /// What the warp that finds scans before it looks for other blocks' sums, and for how many cycles after it
  /// told its own it does not look: whoever looks too early takes another 0.6 us to look again, and keeps
  /// others from writing. (2^18 ints on an H200 after 0 cycles 4.06 us, 600 3.59, 800 3.64, 1300 3.89; int64
  /// 5.36, 4.94, 4.55, 4.60. With a warp of its own, which looks at once, 4.73 and 5.80.)
  static constexpr int early_rounds = Rounds < 2 ? Rounds : 2;
  static constexpr long long cycles_to_wait = 800;

  /// By the same warp: finds what each of the block's warps begins with.
  __device__ __forceinline__ void find_starts(const Told& told) const {
    if (blockIdx.x > 0)
      while (clock64() - told.time < cycles_to_wait) continue;
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
    auto* const quads = reinterpret_cast<uint4*>(job.out) + first() / per_quad + lane();
    const bool whole = is_whole();
#pragma unroll
    for (int k = 0; k < Rounds; ++k) {
      Quad results;
#pragma unroll
      for (int i = 0; i < per_quad; ++i) results.x[i] = Op::add(start, x[k][i]);
      if (whole)
        __stcs(quads + 32 * k, *reinterpret_cast<const uint4*>(&results));
      else
        store_quad(place_of(k), results);
    }
  }

  /// The sum by a warp that needs more than elements' own type for it.
  __device__ __noinline__ Sum sum_again() const {
    Sum of_lane = Sum::of_nothing();
    for (int k = 0; k < Rounds; ++k)
      for (const Element element : load_quad(place_of(k)).x) of_lane = Op::next(of_lane, element);
    return of_lane.over_warp();
  }
  /// The results by a warp that needs more than elements' own type for them.
  __device__ __noinline__ void scan_again(Start start) const {
    constexpr std::int64_t none = INT64_MAX;
    std::int64_t first_misfit = none;
    for (int k = 0; k < Rounds; ++k) {
      const std::int64_t place = place_of(k);
      Quad quad = load_quad(place);
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
      store_quad(place, quad);
      start = start + up_to.of_last_lane();
    }
    first_misfit = warp_min(first_misfit);
    if (lane() == 0 && first_misfit != none && job.checked) report_overflow(job, first_misfit);
  }
};

#endif

}  // namespace foldline::cuda
