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

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/scan/single_wave_tile.cuh"

namespace foldline::cuda {

#if __CUDA_ARCH__ >= 900

template <class Op, int Rounds>
struct SingleWaveScan {
  using Element = typename Op::Element;
  using Sum = typename Op::Sum;
  using Prefix = typename Op::Prefix;
  using Tile = SingleWaveTile<Element, Rounds>;
  using Vec16 = typename Tile::Vec16;
  static constexpr int warps = single_wave_warps, per_vec16 = Tile::per_vec16, of_warp = Tile::of_warp;

  /// Shared memory of a block.
  struct Memory {
    Sum sum[warps];
    Prefix prefix[warps];
    Sum all;  // sum of the launch up to this block
  };

  const PipelineJob& job;
  Memory& memory;

  __device__ void run() const {
    const bool is_prefix_warp = warp() == 0;
    Element x[Rounds][per_vec16];
    load(x);
    std::uint64_t number = 0;  // of the launch
    if (is_prefix_warp) number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    Element lane_sum;
    const typename Op::Local local = Op::summarize(x, lane_sum);
    const Sum sum = local.fits ? Op::sum(lane_sum) : sum_again();
    if (lane() == 31) memory.sum[warp()] = sum;
    __syncthreads();
    PublishedSum published;
    if (is_prefix_warp) published = publish_sum(number);
    Element before = Op::padding;
    scan_rounds<0, rounds_before_polling>(x, before);
    if (is_prefix_warp) find_prefixes(published);
    scan_rounds<rounds_before_polling, Rounds>(x, before);
    __syncthreads();
    if (is_prefix_warp && blockIdx.x == gridDim.x - 1) finish_launch(number);
    const Prefix prefix = memory.prefix[warp()];
    if (Op::template is_plain<of_warp>(prefix, local, job))
      store(x, Op::first(prefix));
    else
      scan_again(prefix);
  }

 private:
  __device__ __forceinline__ Tile tile() const { return {job}; }

  __device__ __forceinline__ void load(Element (&x)[Rounds][per_vec16]) const {
    Vec16 vec16s[Rounds];
    tile().load(vec16s, Op::padding);
#pragma unroll
    for (int k = 0; k < Rounds; ++k)
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) x[k][i] = vec16s[k].x[i];
  }

  /// By a warp: replaces some rounds of its elements by their prefix sums; `before_round` is the sum of the
  /// rounds before.
  template <int First, int Last>
  __device__ __forceinline__ void scan_rounds(Element (&x)[Rounds][per_vec16], Element& before_round) const {
#pragma unroll
    for (int k = First; k < Last; ++k) {
#pragma unroll
      for (int i = 1; i < per_vec16; ++i) x[k][i] = Op::add(x[k][i - 1], x[k][i]);
      const Element own = x[k][per_vec16 - 1];
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
        for (int i = per_vec16 - 1; i > 0; --i) x[k][i] = Op::add(before, x[k][i - 1]);
        x[k][0] = before;
      } else {
#pragma unroll
        for (int i = 0; i < per_vec16; ++i) x[k][i] = Op::add(before, x[k][i]);
      }
    }
  }

  struct PublishedSum {
    unsigned epoch;
    Sum own, up_to;  // of the lane's warp, and up to and including it
    long long published_at;
  };
  /// By a warp: publishes the block's sum.
  __device__ __forceinline__ PublishedSum publish_sum(std::uint64_t number) const {
    const Sum own = lane() < warps ? memory.sum[lane()] : Sum::identity();
    const PublishedSum published = {epoch_of(number), own, own.inclusive_scan(warps), clock64()};
    if (lane() == warps - 1)
      publish_status(job.workspace->status[blockIdx.x], published.up_to.words(), published.epoch, false);
    return published;
  }

  /// Rounds that the warp that computes prefixes scans before it polls other blocks' sums.
  static constexpr int rounds_before_polling = Rounds < 2 ? Rounds : 2;

  /// By the same warp: finds the prefix of each of the block's warps.
  __device__ __forceinline__ void find_prefixes(const PublishedSum& published) const {
    // With the largest tiles, blocks publish so far apart that waiting before polling costs time.
    if (blockIdx.x > 0)
      while (clock64() - published.published_at < (Rounds < 16 ? polling_delay : 0)) continue;
    Sum part = Sum::identity();
    const auto is_stopped = [] { return false; };
    for_each_status(job.workspace->status, 0, static_cast<int>(blockIdx.x), published.epoch, is_stopped,
                    [&](const StatusRead& read) { part = part + Sum::of(read.words()); });
    __syncwarp();
    const Sum before = part.warp_total();
    const Sum of_warps = published.up_to.to_exclusive(published.own);
    if (lane() < warps) memory.prefix[lane()] = Op::prefix(job, before + of_warps);
    if (lane() == warps - 1) memory.all = before + published.up_to;
  }
  /// By the last block: it has all other blocks' sums, so all blocks have read the launch's number.
  __device__ __forceinline__ void finish_launch(std::uint64_t number) const {
    Op::store_carry(job, memory.all);
    if (lane() != 0) return;
    job.after->scanned = job.done + job.count;
    job.workspace->number = number;
  }

  __device__ __forceinline__ void store(const Element (&x)[Rounds][per_vec16], Element prefix) const {
    tile().store([&](int k) {
      Vec16 results;
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) results.x[i] = Op::add(prefix, x[k][i]);
      return results;
    });
  }

  /// The warp's sum in a wider type than the elements'.
  __device__ __noinline__ Sum sum_again() const {
    Sum lane_sum = Sum::identity();
    for (int k = 0; k < Rounds; ++k)
      for (const Element element : tile().load_vec16(tile().index_of(k), Op::padding).x)
        lane_sum = Op::next(lane_sum, element);
    return lane_sum.warp_total();
  }
  /// The warp's results in a wider type than the elements'.
  __device__ __noinline__ void scan_again(Prefix prefix) const {
    constexpr std::int64_t none = INT64_MAX;
    std::int64_t first_misfit = none;
    for (int k = 0; k < Rounds; ++k) {
      const std::int64_t index = tile().index_of(k);
      Vec16 vec16 = tile().load_vec16(index, Op::padding);
      Prefix own = Prefix::identity();
#pragma unroll
      for (const Element element : vec16.x) own = Op::next(own, element);
      Prefix up_to = own.inclusive_scan(32);
      Prefix sum = prefix + up_to.to_exclusive(own);
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) {
        const Prefix next = Op::next(sum, vec16.x[i]);
        bool fits = true;
        vec16.x[i] = Op::rounded(job.exclusive ? sum : next, fits);
        if (!fits && first_misfit == none && index + i < job.count) first_misfit = index + i;
        sum = next;
      }
      tile().store_vec16(index, vec16);
      prefix = prefix + up_to.broadcast_last_lane();
    }
    first_misfit = warp_min(first_misfit);
    if (lane() == 0 && first_misfit != none && job.checked) report_overflow(job, first_misfit);
  }
};

#endif

template <class Op, int Rounds>
__global__ void __launch_bounds__(single_wave_threads, 1)
    single_wave_scan([[maybe_unused]] const __grid_constant__ PipelineJob job) {
#if __CUDA_ARCH__ >= 900
  using Scan = SingleWaveScan<Op, Rounds>;
  __shared__ typename Scan::Memory memory;
  wait_for_previous_launch();
  allow_dependent_launch();
  Scan{job, memory}.run();
#endif
}

template <class Op>
void launch_single_wave(const Scan& scan, const PipelineLaunch& launch) {
  in_fewest_rounds<typename Op::Element>(scan, launch, [&]<int Rounds>(PipelineJob job) {
    void* arguments[] = {&job};
    launch_scan_kernel(reinterpret_cast<const void*>(&single_wave_scan<Op, Rounds>), job.tiles,
                       single_wave_threads, 0, arguments, launch.stream);
  });
}

}  // namespace foldline::cuda
