// Pipelined scans of contiguous vectors at the speed of a copy (compute capability 9.0): every tile passes
// through shared memory once, and blocks exchange only the sums of tiles.
//
// One block per multiprocessor takes every gridDim.x-th tile. Its warps are
// - a loader, which issues bulk loads as many tiles ahead as there are stages;
// - consumers, which reduce tile k in shared memory and then scan tile k - `distance` in place and store
// their slices of it by bulk copies; the distance hides the wait for other blocks' sums;
// - a publisher, which publishes the sum of each tile;
// - a poller, which adds up the published sums between this block's previous tile and the next one. Blocks do
// not form a chain: each reads all sums, several at a time, which is 6 % of the L2 traffic.
//
// It is a single launch: the publisher finds the launch's number and the window while the first tiles are
// loaded.
//
// An Op provides: `Element`; `threads`; `vec16s` per thread (an odd number, so that threads' accesses to
// shared memory do not conflict); `stages`; `distance`; and
// - Sum: of a tile or a part of it, with the functions of ExactSum or RoundedSum (pipeline_sums.cuh)
// - Before: the sum of all tiles before one
// - unsigned sample(job): by a consumer of the first block, if `samples`
// - Window open(job, epoch, largest): by a warp; what all blocks must know of the elements. The launch does
//   nothing unless `is_open`. `largest` is the largest sample, in the first block. A Before is constructed
//   from it
// - reduce(x, elements, opening, lane_state, total): by a warp; each lane's elements are in registers (x) and
//   in shared memory. Lane 31 writes the warp's Total; `lane_state` is passed on to scan. opening.wait() is
//   the window
// - Sum sum_of(total, window, failed): a warp's sum; sets `failed` if it cannot be represented
// - Prefix make_prefix(before, of_warps, total, window): what the warp's scan starts from: the sums of the
//   tiles before and of the tile's warps before
// - scan(x, lane_state, prefix, window, job, first, elements): by a warp; writes results over the elements
// - store_carry(before, of_tile, window, carry): by a warp; stores the sum after the launch
// - padding: the value after the last element
// - may_fail: sum_of may fail
#pragma once

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/scan/pipeline_sums.cuh"
#include "cuda/scan/tile_copies.cuh"

namespace foldline::cuda {

#if __CUDA_ARCH__ >= 900

/// Position in a ring of stages, with the parity of the phase to wait for.
template <int Stages>
struct StageCursor {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == Stages) stage = 0, parity ^= 1;
  }
};

template <class Op>
struct Pipeline {
  using Element = typename Op::Element;
  using Sum = typename Op::Sum;
  using Before = typename Op::Before;
  using Tile = TileCopies<Element, Op::threads, Op::vec16s>;
  static constexpr int warps = Op::threads / 32, stages = Op::stages;

  using Stage = PipelineStage<Op>;
  using Shared = PipelineMemory<Op>;

  const PipelineJob& job;
  Shared& shared;

  __device__ int tiles_of_block() const {
    const int block = static_cast<int>(blockIdx.x), grid = static_cast<int>(gridDim.x);
    return (job.tiles - block + grid - 1) / grid;
  }
  /// The number of tiles of the block, or fewer once a tile has failed: the block then stops where its
  /// fastest warp may already be.
  __device__ __forceinline__ int end(int count) const {
    if constexpr (Op::may_fail)
      return *static_cast<volatile int*>(&shared.end);
    else
      return count;
  }
  __device__ int tile(int k) const { return static_cast<int>(blockIdx.x) + k * static_cast<int>(gridDim.x); }
  static __device__ std::int64_t offset_of(int tile) { return std::int64_t{tile} * Tile::bytes; }

  __device__ void make_barriers() const {
    for (Stage& stage : shared.stage) {
      stage.full.init(arrivals_per_warp);
      stage.empty.init(arrivals_per_warp * warps);
      stage.reduced.init(arrivals_per_warp * warps);
      stage.published.init(arrivals_per_warp);
      stage.ready.init(arrivals_per_warp);
    }
    shared.opening.barrier.init(arrivals_per_warp);
    shared.opening.sampled.init(arrivals_per_warp * warps);
    if constexpr (Op::may_fail) shared.end = tiles_of_block();
    fence_barrier_init();
  }

  /// By one warp of the block: finds the launch's number and the window.
  __device__ void open() const {
    PipelineOpening<Op>& opening = shared.opening;
    const std::uint64_t number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    const unsigned epoch = epoch_of(number);
    unsigned largest = 0;
    if (Op::samples && blockIdx.x == 0) {
      opening.sampled.wait(0);
      largest = warp_max(opening.sample[lane() % warps]);
    }
    const typename Op::Window window = Op::open(job, epoch, largest);
    if (lane() == 0) {
      opening.window = window;
      opening.number = number;
      opening.epoch = epoch;
      if constexpr (!every_lane_arrives) opening.barrier.arrive();
      if (!window.is_open && blockIdx.x == 0 && !job.continues) {
        *job.after = job.before;
        job.after->scanned = job.done;
      }
    }
    __syncwarp();
    if constexpr (every_lane_arrives) opening.barrier.arrive();
  }
  /// The last block to call advances the launch number in the workspace: all have read it by then.
  __device__ void count_launch() const {
    ScanWorkspace& workspace = *job.workspace;
    if (atomicAdd(&workspace.arrivals, 1) != gridDim.x - 1) return;
    workspace.arrivals = 0;
    workspace.number = shared.opening.number;
  }

  __device__ void load_tiles() const {
    const std::uint64_t policy = evict_last_policy();
    const int count = tiles_of_block(), initial = min(count, stages);
    StageCursor<stages> cursor;
    // At first each load waits for the one before: if all are issued at once, the sums that blocks exchange
    // queue behind them, and no result can be stored meanwhile.
    for (int k = 0; k < initial; ++k, cursor.advance()) {
      if (k > 0) shared.stage[k - 1].full.wait(0);
      load_tile(k, cursor.stage, policy);
    }
    const bool is_open = shared.opening.wait().is_open;
    if (lane() == 0) count_launch();
    if (!is_open)  // a block must not exit while copies are in flight
      for (int k = 0; k < initial; ++k) shared.stage[k].full.wait(0);
    else
      for (int k = initial; k < end(count); ++k, cursor.advance()) {
        shared.stage[cursor.stage].empty.wait(cursor.parity ^ 1);
        load_tile(k, cursor.stage, policy);
      }
  }
  __device__ void load_tile(int k, int at, std::uint64_t policy) const {
    Tile::load(shared.tile[at], job, offset_of(tile(k)), shared.stage[at].full, policy, Op::padding);
  }

  __device__ void publish_sums() const {
    open();
    const typename Op::Window& window = shared.opening.window;
    const unsigned epoch = shared.opening.epoch;
    if (!window.is_open) return;
    StageCursor<stages> cursor;
    const int count = tiles_of_block();
    for (int k = 0; k < end(count); ++k, cursor.advance()) {
      Stage& stage = shared.stage[cursor.stage];
      stage.reduced.wait(cursor.parity);
      bool failed = false;
      Sum own = Sum::identity();
      if (lane() < warps) own = Op::sum_of(stage.total[lane()], window, failed);
      const Sum up_to = own.inclusive_scan(warps);
      const Sum before = up_to.to_exclusive(own);
      failed = __any_sync(all_lanes, failed);
      if (lane() == warps - 1) {
        publish_status(job.workspace->status[tile(k)], up_to.words(), epoch, failed);
        stage.sum = up_to;
        stage.failed = failed;
      }
      if (lane() < warps) stage.of_warps[lane()] = before;
      __syncwarp();
      stage.published.arrive_for_warp(0);
    }
  }

  /// Adds tiles [first, last); sets `failed` if one of them or an earlier one failed.
  __device__ void add_tiles(Before& before, int first, int last, unsigned epoch, bool& failed) const {
    // After a tile failed, not all later tiles are published.
    const auto is_stopped = [&] {
      return Op::may_fail &&
             *static_cast<volatile std::uint64_t*>(&job.workspace->failed_number) == shared.opening.number;
    };
    failed |=
        !for_each_status(job.workspace->status, first, last, epoch, is_stopped, [&](const StatusRead& read) {
          before.add(Sum::of(read.words()));
          failed = failed || read.failed();
        });
    failed = __any_sync(all_lanes, failed);
    before.close();
  }

  __device__ void find_prefixes() const {
    const typename Op::Window& window = shared.opening.wait();
    if (!window.is_open) return;
    const unsigned epoch = shared.opening.epoch;
    Before before(window.before);
    bool failed = false;
    StageCursor<stages> cursor;
    const int count = tiles_of_block();
    for (int k = 0; k < end(count); ++k, cursor.advance()) {
      Stage& stage = shared.stage[cursor.stage];
      // Waits for this block's own sum: those of other blocks are not published much earlier.
      stage.published.wait(cursor.parity);
      add_tiles(before, k == 0 ? 0 : tile(k - 1), tile(k), epoch, failed);
      if (lane() < warps)
        stage.prefix[lane()] = failed || stage.failed ? typename Op::Prefix{}
                                                      : Op::make_prefix(before, stage.of_warps[lane()],
                                                                        stage.total[lane()], window);
      if (!failed && (stage.failed || tile(k) == job.tiles - 1))
        finish_launch(before, window, stage, tile(k));
      if constexpr (Op::may_fail)
        if ((failed || stage.failed) && lane() == 0 && shared.end > k + max_lead) stop_after(k);
      __syncwarp();
      stage.ready.arrive_for_warp(0);
    }
  }
  /// How far other warps may be ahead of the tile whose prefix is being computed: the next tile that may be
  /// loaded is the one that reuses this one's buffer.
  static constexpr int max_lead = stages + 1;
  __device__ void stop_after(int k) const {
    *static_cast<volatile int*>(&shared.end) = k + max_lead;
    __threadfence();  // after all tiles before it were published
    *static_cast<volatile std::uint64_t*>(&job.workspace->failed_number) = shared.opening.number;
  }
  /// Stores the sum after the last tile, or before the first one that failed, for the next launch.
  __device__ void finish_launch(const Before& before, const typename Op::Window& window, const Stage& stage,
                                int last) const {
    Op::store_carry(before, stage.failed ? Sum::identity() : stage.sum, window, *job.after);
    if (lane() == 0)
      job.after->scanned = job.done + (stage.failed ? std::int64_t{last} * Tile::elements : job.count);
  }

  __device__ void sample() const {
    const unsigned largest = warp_max(Op::sample(job));
    if (lane() == 0) shared.opening.sample[warp()] = largest;
    if constexpr (every_lane_arrives) __syncwarp();
    shared.opening.sampled.arrive_for_warp(0);
  }

  __device__ void reduce_and_scan() const {
    if constexpr (Op::samples)
      if (blockIdx.x == 0) sample();
    constexpr int distance = Op::distance;
    typename Op::LaneState lane_state[distance + 1];
    StageCursor<stages> to_reduce, to_scan;
    int stored = -1;  // the stage whose slice the last bulk store reads
    const int count = tiles_of_block();
    for (int k = 0;; ++k) {
      const int last = end(count);
      if (k >= last + distance) break;
#pragma unroll
      for (int d = distance; d > 0; --d) lane_state[d] = lane_state[d - 1];
      if (k < last) {
        Stage& stage = shared.stage[to_reduce.stage];
        stage.full.wait(to_reduce.parity);
        Element x[Tile::per_thread];
        std::byte* const tile = shared.tile[to_reduce.stage];
        Tile::take(x, tile);
        Op::reduce(x, Tile::of_thread(tile), shared.opening, lane_state[0], stage.total[warp()]);
        if constexpr (every_lane_arrives) __syncwarp();
        stage.reduced.arrive_for_warp(31);
        to_reduce.advance();
        if (k == 0 && !shared.opening.wait().is_open) return;
      }
      if (k >= distance) {
        scan_and_store(lane_state[distance], tile(k - distance), to_scan, stored);
        stored = to_scan.stage;
        to_scan.advance();
      }
    }
    if (lane() == 0) wait_for_bulk_reads();
  }

  __device__ void scan_and_store(const typename Op::LaneState& lane_state, int tile,
                                 const StageCursor<stages>& cursor, int stored) const {
    Stage& stage = shared.stage[cursor.stage];
    std::byte* const elements = shared.tile[cursor.stage];
    Element x[Tile::per_thread];
    Tile::take(x, elements);
    stage.ready.wait(cursor.parity);
    const typename Op::Prefix& prefix = stage.prefix[warp()];
    const std::int64_t first =
        std::int64_t{tile} * Tile::elements + static_cast<int>(threadIdx.x) * Tile::per_thread;
    if (prefix.known)
      Op::scan(x, lane_state, prefix, shared.opening.window, job, first, Tile::of_thread(elements));
    fence_for_bulk_stores();
    __syncwarp();
    if (prefix.known) Tile::store_slice(elements, job, offset_of(tile));
    if (lane() == 0) {
      commit_bulk_group();
      if (stored >= 0) {
        wait_for_bulk_reads_but_last();
        if constexpr (!every_lane_arrives) shared.stage[stored].empty.arrive();
      }
    }
    __syncwarp();
    if constexpr (every_lane_arrives)
      if (stored >= 0) shared.stage[stored].empty.arrive();
  }
};

#endif

inline constexpr int helper_threads = 96;

template <class Op>
__global__ void __launch_bounds__(Op::threads + helper_threads, 1)
    scan_in_pipeline([[maybe_unused]] const __grid_constant__ PipelineJob job) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  const Pipeline<Op> pipeline{job, *reinterpret_cast<typename Pipeline<Op>::Shared*>(memory)};
  if (threadIdx.x == 0) pipeline.make_barriers();
  wait_for_previous_launch();
  __syncthreads();
  constexpr int consumers = Op::threads / 32;
  if (warp() == consumers) {
    pipeline.load_tiles();
    allow_dependent_launch();
  } else if (warp() == consumers + 1) {
    pipeline.publish_sums();
  } else if (warp() == consumers + 2) {
    pipeline.find_prefixes();
  } else {
    pipeline.reduce_and_scan();
  }
#endif
}

/// Launches a pipeline over as many elements as one launch takes. Returns how many; the carry says afterwards
/// how many were scanned.
template <class Op>
std::int64_t launch_pipeline_of(const Scan& scan, const PipelineLaunch& launch) {
  constexpr std::int64_t tile_elements = Op::threads * Op::vec16s * 16 / sizeof(typename Op::Element);
  static_assert(max_pipeline_tiles * tile_elements >= elements_of_pipeline);
  static_assert(pipeline_bytes<Op> <= 227 << 10);  // limit of compute capability 9.0
  const std::int64_t count = std::min(scan.x.size(), max_pipeline_tiles * tile_elements);
  PipelineJob job = pipeline_job(scan, launch, count, tile_elements);
  void* arguments[] = {&job};
  launch_scan_kernel(reinterpret_cast<const void*>(&scan_in_pipeline<Op>),
                     std::min(job.tiles, launch.multiprocessors), Op::threads + helper_threads,
                     pipeline_bytes<Op>, arguments, launch.stream);
  return count;
}

}  // namespace foldline::cuda
