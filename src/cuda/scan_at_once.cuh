// Scans of so few elements that the multiprocessors' shared memory has all of them at a time (compute
// capability 9.0): every block has one tile, a small one.
//
// A block loads its tile, reduces it, tells all others the sum, adds up what those before it tell, and scans.
// A pipeline (scan_pipeline.cuh) does the same tile by tile, so that loads, sums and stores of different
// tiles overlap; of few elements it has few large tiles, so few blocks, and the way through it is what takes
// the time: 2^18 ints take 6.1 us on an H200, this way 5.0. (Three tiles of 57 KB a block, for up to 22 MB:
// 2^22 ints take 7% less time than in a pipeline, but 2^20 of 64 bits 10% more. Exact scans of floats and
// doubles, without the sample, in units of each block's own: 3 to 26% more time from 2^18 doubles and 2^20
// floats on, where a block waits for all of its conversions to units at once.)
//
// What is done with elements is the pipelines' Op, of those that take no sample.
#pragma once

#include "cuda/pipeline_sums.cuh"
#include "cuda/tile_copies.cuh"

namespace foldline::cuda {

inline constexpr int at_once_threads = 512, at_once_quads = 3;

/// A block's shared memory.
template <class Op>
struct AtOnceMemory {
  static constexpr int warps = at_once_threads / 32, tile_bytes = at_once_threads * at_once_quads * 16;
  alignas(128) std::byte tile[tile_bytes];
  typename Op::Total total[warps];
  typename Op::Start start[warps];
  typename Op::Sum sum;  // of the block
  typename Op::Window window;
  Barrier full;
};

#if __CUDA_ARCH__ >= 900

template <class Op>
struct ScanAtOnce {
  using Element = typename Op::Element;
  using Sum = typename Op::Sum;
  using Window = typename Op::Window;
  static constexpr int warps = AtOnceMemory<Op>::warps;
  using Tile = TileCopies<Element, at_once_threads, at_once_quads>;

  const PipelineJob& job;
  AtOnceMemory<Op>& memory;

  __device__ ScanAtOnce(const PipelineJob& scan, AtOnceMemory<Op>& of_block) : job(scan), memory(of_block) {}

  __device__ void run() const {
    if (threadIdx.x == 0) {
      memory.full.init(1);
      publish_barriers();
    }
    __syncthreads();
    const std::int64_t first = std::int64_t{blockIdx.x} * Tile::elements;
    const std::int64_t offset = std::int64_t{blockIdx.x} * Tile::bytes;
    if (warp() == 0) Tile::load(memory.tile, job, offset, memory.full, policy_to_keep(), Op::absent);
    // Meanwhile: every block has read it when the last one has told its sum.
    const std::uint64_t number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    memory.full.wait(0);
    Element x[Tile::per_thread];
    Tile::take(x, memory.tile);
    typename Op::Kept kept;
    NoOpening opening;
    Op::reduce(x, Tile::of_thread(memory.tile), opening, kept, memory.total[warp()]);
    __syncthreads();
    if (warp() == 0) find_starts(number);
    __syncthreads();
    const typename Op::Start& start = memory.start[warp()];
    if (!start.known) return;
    const std::int64_t place = first + static_cast<int>(threadIdx.x) * Tile::per_thread;
    Op::scan(x, kept, start, memory.window, job, place, Tile::of_thread(memory.tile));
    publish_to_bulk_stores();
    __syncwarp();
    Tile::store_slice(memory.tile, job, offset);
    if (lane() == 0) {
      close_group();
      wait_for_reads();
    }
  }

 private:
  /// Nothing has to be known before elements are added up.
  struct NoOpening {};

  /// By a warp, for all of the block: tells the block's sum and finds that of all before it.
  __device__ __forceinline__ void find_starts(std::uint64_t number) const {
    const unsigned epoch = epoch_of(number);
    const Window window = Op::open(job, epoch, 0);
    bool failed = false;
    Sum own = Sum::of_nothing();
    if (lane() < warps) own = Op::sum_of(memory.total[lane()], window, failed);
    const Sum up_to = own.up_to_lane(warps);
    failed = __any_sync(all_lanes, failed);
    if (lane() == warps - 1) {
      publish(up_to, number, epoch, failed);
      memory.sum = up_to;
    }
    typename Op::Before before(window.before);
    bool failed_before = false;
    const auto is_over = [] { return false; };
    for_each_status(job.workspace->status, 0, static_cast<int>(blockIdx.x), epoch, is_over,
                    [&](const StatusRead& read) {
                      before.add(Sum::of(read.words()));
                      failed_before |= read.failed();
                    });
    failed_before = __any_sync(all_lanes, failed_before);
    before.close();
    const Sum of_warps = up_to.without(own);
    if (lane() < warps)
      memory.start[lane()] = failed || failed_before
                                 ? typename Op::Start{}
                                 : Op::begin(before, of_warps, memory.total[lane()], window);
    if (lane() == 0) memory.window = window;
    // By the last block, or by the first one that failed: the sum before what is left to other launches.
    if (failed_before || (!failed && blockIdx.x != gridDim.x - 1)) return;
    __syncwarp();
    Op::keep(before, failed ? Sum::of_nothing() : memory.sum, window, *job.after);
    if (lane() == 0)
      job.after->scanned = job.done + (failed ? std::int64_t{blockIdx.x} * Tile::elements : job.count);
  }

  /// Tells the other blocks the sum of this one, and counts it: the last one counts the launch.
  __device__ __forceinline__ void publish(const Sum& sum, std::uint64_t number, unsigned epoch,
                                          bool failed) const {
    ScanWorkspace& workspace = *job.workspace;
    put_status(workspace.status[blockIdx.x], sum.words(), epoch, failed);
    if (atomicAdd(&workspace.arrivals, 1) != gridDim.x - 1) return;
    workspace.arrivals = 0;
    workspace.number = number;
  }
};

#endif

}  // namespace foldline::cuda
