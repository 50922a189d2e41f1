// Scans of contiguous vectors at the speed of a copy (compute capability 9.0): every tile goes through shared
// memory once, and only sums of tiles are passed on.
//
// One block stays on every multiprocessor and takes each grid-size-th tile. Of its warps
//   - one loads tiles by bulk copies, as many ahead as there are stages;
//   - the consumers reduce tile k from shared memory and then scan tile k - `distance`, in place, and have
//     their slices of it stored by bulk copies: without the distance they would wait for sums (one tile: 1753
//     us for 2^29 integers; two: 1078; three: 1058);
//   - one publishes the sum of each tile;
//   - one adds up the published sums between this block's previous tile and the next one. There is no chain
//     of blocks that wait for each other: each reads all the sums, some 132 words, several at a time.
//     (Each tile's sum is read by every block, 6% of what moves through the L2 cache. On an H200, two warps
//     for that, at every other tile, that read twice as much, are 9 to 14% slower; sums of 32 tiles that one
//     block passes on, so that there is less to read but more to wait for, 18 to 20%.)
//
// It is one launch: what all blocks must know before, the warp that publishes finds or waits for while the
// first tiles are on their way. (2^18 floats took 23 us with a kernel before that did so, and one that set
// the carry.)
//
// What an Op says: `Element`; `threads`, `quads` (16 bytes of each thread, an odd number, so that threads'
// accesses to shared memory do not collide), `stages`, `distance`; and
//   Sum                   of a tile's elements or a part of them, with the functions of an ExactSum or a
//                         RoundedSum (pipeline_sums.cuh); `Before`: of all tiles before one
//   unsigned sample(job)  by a consumer of the first block, and `samples`: whether it is to be asked
//   Window open(job, epoch, largest)   by a warp: what all blocks know of the numbers; nothing is done if it
//                         is not `is_open`; in the first block the largest sample is known; a Before is made
//                         of it
//   reduce(x, elements, opening, kept, total)   by a warp, of the elements of each lane, which are in
//                         registers and in shared memory; lane 31 writes the warp's Total, `kept` is for
//                         scan. opening.wait() is the window
//   Sum sum_of(total, window, failed)   a warp's sum, or that there is none
//   Start begin(before, of_warps, total, window)   what the warp's scan begins with: the sums of the tiles
//                         before and of the tile's warps before
//   scan(x, kept, start, window, job, first, elements)   by a warp: results over the elements
//   keep(before, of_tile, window, carry)   by a warp: leaves the sum after the launch
//   absent                what stands behind the last element
//   may_fail              whether sum_of may find none
#pragma once

#include "cuda/scan/pipeline_sums.cuh"
#include "cuda/scan/tile_copies.cuh"

namespace foldline::cuda {

#if __CUDA_ARCH__ >= 900

/// Place in a ring of stages; the parity is that of the phase that is waited for.
template <int Stages>
struct Turn {
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
  using Tile = TileCopies<Element, Op::threads, Op::quads>;
  static constexpr int warps = Op::threads / 32, stages = Op::stages;

  using Stage = PipelineStage<Op>;
  using Shared = PipelineMemory<Op>;

  const PipelineJob& job;
  Shared& shared;

  __device__ int tiles_of_block() const {
    const int block = static_cast<int>(blockIdx.x), grid = static_cast<int>(gridDim.x);
    return (job.tiles - block + grid - 1) / grid;
  }
  /// That number, or less once a tile before has failed: then the block goes no further than its fastest warp
  /// may have come.
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
      stage.full.init(1);
      stage.empty.init(warps);
      stage.reduced.init(warps);
      stage.published.init(1);
      stage.ready.init(1);
    }
    shared.opening.barrier.init(1);
    shared.opening.sampled.init(warps);
    if constexpr (Op::may_fail) shared.end = tiles_of_block();
    publish_barriers();
  }

  /// By a warp, the only one that looks for the number and the window.
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
      opening.barrier.arrive();
      if (!window.is_open && blockIdx.x == 0 && !job.continues) {
        *job.after = job.before;
        job.after->scanned = job.done;
      }
    }
    __syncwarp();
  }
  /// The last block to call counts the launch: all have read its number by then.
  __device__ void count_launch() const {
    ScanWorkspace& workspace = *job.workspace;
    if (atomicAdd(&workspace.arrivals, 1) != gridDim.x - 1) return;
    workspace.arrivals = 0;
    workspace.number = shared.opening.number;
  }

  __device__ void load_tiles() const {
    const std::uint64_t policy = policy_to_keep();
    const int count = tiles_of_block(), at_once = min(count, stages);
    Turn<stages> turn;
    // At first each when the one before has arrived: if all are asked for at once, what blocks tell each
    // other waits behind these loads, and no result can be stored meanwhile. (2^22 int64 on an H200: 26 us,
    // so 22.)
    for (int k = 0; k < at_once; ++k, turn.advance()) {
      if (k > 0) shared.stage[k - 1].full.wait(0);
      load_tile(k, turn.stage, policy);
    }
    const bool is_open = shared.opening.wait().is_open;
    if (lane() == 0) count_launch();
    if (!is_open)  // not to leave while copies are under way
      for (int k = 0; k < at_once; ++k) shared.stage[k].full.wait(0);
    else
      for (int k = at_once; k < end(count); ++k, turn.advance()) {
        shared.stage[turn.stage].empty.wait(turn.parity ^ 1);
        load_tile(k, turn.stage, policy);
      }
  }
  __device__ void load_tile(int k, int at, std::uint64_t policy) const {
    Tile::load(shared.tile[at], job, offset_of(tile(k)), shared.stage[at].full, policy, Op::absent);
  }

  __device__ void publish_sums() const {
    open();
    const typename Op::Window& window = shared.opening.window;
    const unsigned epoch = shared.opening.epoch;
    if (!window.is_open) return;
    Turn<stages> turn;
    const int count = tiles_of_block();
    for (int k = 0; k < end(count); ++k, turn.advance()) {
      Stage& stage = shared.stage[turn.stage];
      stage.reduced.wait(turn.parity);
      bool failed = false;
      Sum own = Sum::of_nothing();
      if (lane() < warps) own = Op::sum_of(stage.total[lane()], window, failed);
      const Sum up_to = own.up_to_lane(warps);
      const Sum before = up_to.without(own);
      failed = __any_sync(all_lanes, failed);
      if (lane() == warps - 1) {
        put_status(job.workspace->status[tile(k)], up_to.words(), epoch, failed);
        stage.sum = up_to;
        stage.failed = failed;
      }
      if (lane() < warps) stage.of_warps[lane()] = before;
      __syncwarp();
      if (lane() == 0) stage.published.arrive();
    }
  }

  /// Adds tiles [first, last); `failed` if one of them or before did.
  __device__ void add_tiles(Before& before, int first, int last, unsigned epoch, bool& failed) const {
    // Blocks that know of a tile that failed do not publish all after it.
    const auto is_over = [&] {
      return Op::may_fail &&
             *static_cast<volatile std::uint64_t*>(&job.workspace->failed_number) == shared.opening.number;
    };
    failed |=
        !for_each_status(job.workspace->status, first, last, epoch, is_over, [&](const StatusRead& read) {
          before.add(Sum::of(read.words()));
          failed = failed || read.failed();
        });
    failed = __any_sync(all_lanes, failed);
    before.close();
  }

  __device__ void find_starts() const {
    const typename Op::Window& window = shared.opening.wait();
    if (!window.is_open) return;
    const unsigned epoch = shared.opening.epoch;
    Before before(window.before);
    bool failed = false;
    Turn<stages> turn;
    const int count = tiles_of_block();
    for (int k = 0; k < end(count); ++k, turn.advance()) {
      Stage& stage = shared.stage[turn.stage];
      // Not before this block's own sum is out: the others' are not much earlier.
      stage.published.wait(turn.parity);
      add_tiles(before, k == 0 ? 0 : tile(k - 1), tile(k), epoch, failed);
      if (lane() < warps)
        stage.start[lane()] = failed || stage.failed
                                  ? typename Op::Start{}
                                  : Op::begin(before, stage.of_warps[lane()], stage.total[lane()], window);
      if (!failed && (stage.failed || tile(k) == job.tiles - 1)) conclude(before, window, stage, tile(k));
      if constexpr (Op::may_fail)
        if ((failed || stage.failed) && lane() == 0 && shared.end > k + furthest) stop_after(k);
      __syncwarp();
      if (lane() == 0) stage.ready.arrive();
    }
  }
  /// How far other warps may be beyond the tile whose start is being looked for: the next tile that the
  /// consumers may load is the one in whose place this one lies.
  static constexpr int furthest = stages + 1;
  __device__ void stop_after(int k) const {
    *static_cast<volatile int*>(&shared.end) = k + furthest;
    __threadfence();  // after all tiles before it
    *static_cast<volatile std::uint64_t*>(&job.workspace->failed_number) = shared.opening.number;
  }
  /// Leaves the sum after the last tile, or before the first one that failed, for the next launch.
  __device__ void conclude(const Before& before, const typename Op::Window& window, const Stage& stage,
                           int last) const {
    Op::keep(before, stage.failed ? Sum::of_nothing() : stage.sum, window, *job.after);
    if (lane() == 0)
      job.after->scanned = job.done + (stage.failed ? std::int64_t{last} * Tile::elements : job.count);
  }

  __device__ void sample() const {
    const unsigned largest = warp_max(Op::sample(job));
    if (lane() != 0) return;
    shared.opening.sample[warp()] = largest;
    shared.opening.sampled.arrive();
  }

  __device__ void reduce_and_scan() const {
    if constexpr (Op::samples)
      if (blockIdx.x == 0) sample();
    constexpr int distance = Op::distance;
    typename Op::Kept kept[distance + 1];
    Turn<stages> to_reduce, to_scan;
    int stored = -1;  // the stage whose slice the last bulk store reads
    const int count = tiles_of_block();
    for (int k = 0;; ++k) {
      const int last = end(count);
      if (k >= last + distance) break;
#pragma unroll
      for (int d = distance; d > 0; --d) kept[d] = kept[d - 1];
      if (k < last) {
        Stage& stage = shared.stage[to_reduce.stage];
        stage.full.wait(to_reduce.parity);
        Element x[Tile::per_thread];
        std::byte* const tile = shared.tile[to_reduce.stage];
        Tile::take(x, tile);
        Op::reduce(x, Tile::of_thread(tile), shared.opening, kept[0], stage.total[warp()]);
        if (lane() == 31) stage.reduced.arrive();
        to_reduce.advance();
        if (k == 0 && !shared.opening.wait().is_open) return;
      }
      if (k >= distance) {
        scan_and_store(kept[distance], tile(k - distance), to_scan, stored);
        stored = to_scan.stage;
        to_scan.advance();
      }
    }
    if (lane() == 0) wait_for_reads();
  }

  __device__ void scan_and_store(const typename Op::Kept& kept, int tile, const Turn<stages>& turn,
                                 int stored) const {
    Stage& stage = shared.stage[turn.stage];
    std::byte* const elements = shared.tile[turn.stage];
    Element x[Tile::per_thread];
    Tile::take(x, elements);
    stage.ready.wait(turn.parity);
    const typename Op::Start& start = stage.start[warp()];
    const std::int64_t first =
        std::int64_t{tile} * Tile::elements + static_cast<int>(threadIdx.x) * Tile::per_thread;
    if (start.known) Op::scan(x, kept, start, shared.opening.window, job, first, Tile::of_thread(elements));
    publish_to_bulk_stores();
    __syncwarp();
    if (start.known) Tile::store_slice(elements, job, offset_of(tile));
    if (lane() == 0) {
      close_bulk_group();
      if (stored >= 0) {
        wait_for_reads_but_last();
        shared.stage[stored].empty.arrive();
      }
    }
    __syncwarp();
  }
};

#endif

}  // namespace foldline::cuda
