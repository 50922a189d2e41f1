// Scans of so few elements that all of them are in the multiprocessors' shared memory at a time (compute
// capability 9.0).
//
// A block loads its part, reduces it, tells all others its sum, adds up what those before it tell, and scans.
// A pipeline (scan_pipeline.cuh) does the same tile by tile, so that loads, sums and stores of different
// tiles overlap, but of a scan that takes a few microseconds most would be the way through the pipeline: 2^18
// ints took 6.2 us and 2^22 16.5 on an H200 (CUB: 5.0 and 16.4).
//
// What is done with elements is the pipelines' Op. Exact sums of floats and doubles are in units that each
// block chooses from its own elements, so that none waits for another's sample; whoever adds them up brings
// them to the largest unit.
#pragma once

#include <climits>

#include "cuda/sum_of_extents.cuh"
#include "cuda/tile_copies.cuh"

namespace foldline::cuda {

/// Scans of floats and doubles whose results are correctly rounded have windows of the blocks' own.
template <class Op>
inline constexpr bool has_extents = requires { Op::lowest_top; };

/// A block's shared memory.
template <class Op, int Quads, int MostTiles>
struct AtOnceMemory {
  static constexpr int threads = 512, warps = threads / 32, tile_bytes = threads * Quads * 16;
  static constexpr int most_tiles = MostTiles, quads = Quads;
  typename Op::Total total[MostTiles * warps];
  typename Op::Start start[MostTiles * warps];
  typename Op::Window window;
  Barrier full[MostTiles];
  alignas(128) std::byte tile[MostTiles][tile_bytes];  // as many as the launch needs

  static constexpr std::size_t bytes(int tiles) {
    return sizeof(AtOnceMemory) - static_cast<std::size_t>(MostTiles - tiles) * tile_bytes;
  }
};

#if __CUDA_ARCH__ >= 900

template <class Op, class Memory>
struct ScanAtOnce {
  using Element = typename Op::Element;
  using Sum = typename Op::Sum;
  using Window = typename Op::Window;
  static constexpr int warps = Memory::warps, most_tiles = Memory::most_tiles;
  using Tile = TileCopies<Element, Memory::threads, Memory::quads>;

  const PipelineJob& job;
  Memory& memory;
  int tiles;  // of this block
  int first;  // of all

  __device__ ScanAtOnce(const PipelineJob& scan, Memory& of_block, int tiles_of_block)
      : job(scan), memory(of_block), first(static_cast<int>(blockIdx.x) * tiles_of_block) {
    tiles = min(tiles_of_block, job.tiles - first);
  }
  __device__ std::int64_t offset_of(int tile) const { return std::int64_t{first + tile} * Tile::bytes; }

  __device__ void run() const {
    if (threadIdx.x == 0) {
      for (Barrier& full : memory.full) full.init(1);
      publish_barriers();
    }
    __syncthreads();
    if (warp() == 0)
      for (int t = 0; t < tiles; ++t)
        Tile::load(memory.tile[t], job, offset_of(t), memory.full[t], policy_to_keep(), Op::absent);
    const std::uint64_t number = next_number(*static_cast<volatile std::uint64_t*>(&job.workspace->number));
    typename Op::Kept kept[most_tiles];
    bool is_wide = false;
#pragma unroll
    for (int t = 0; t < most_tiles; ++t) {
      if (t == tiles) break;
      memory.full[t].wait(0);
      Element x[Tile::per_thread];
      Tile::take(x, memory.tile[t]);
      typename Op::Total& total = memory.total[t * warps + warp()];
      Unopened opening;
      Op::reduce(x, Tile::of_thread(memory.tile[t]), opening, kept[t], total);
      if constexpr (has_extents<Op>) is_wide |= lane() == 31 && total.is_wide;
    }
    if constexpr (has_extents<Op>) {
      if (__syncthreads_or(is_wide)) {
        const Window window = extents_of_block().window();
        for (int t = 0; t < tiles; ++t) reduce_again(t, window);
        __syncthreads();
      }
    } else {
      __syncthreads();
    }
    if (warp() == 0) {
      if constexpr (has_extents<Op>)
        find_starts_in_extents(number, epoch_of(number));
      else
        find_starts_in_window(number, epoch_of(number));
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < most_tiles; ++t) {
      if (t == tiles) break;
      const typename Op::Start& start = memory.start[t * warps + warp()];
      if (!start.known) break;
      if constexpr (has_extents<Op>)
        if (memory.total[t * warps + warp()].is_wide) kept[t] = reduce_again(t, memory.window);
      Element x[Tile::per_thread];
      Tile::take(x, memory.tile[t]);
      const std::int64_t place =
          std::int64_t{first + t} * Tile::elements + static_cast<int>(threadIdx.x) * Tile::per_thread;
      Op::scan(x, kept[t], start, memory.window, job, place, Tile::of_thread(memory.tile[t]));
      publish_to_bulk_stores();
      __syncwarp();
      Tile::store_slice(memory.tile[t], job, offset_of(t));
    }
    if (lane() == 0) {
      close_group();
      wait_for_reads();
    }
  }

 private:
  /// Stands for the window while there is none: a warp whose sum takes one is reduced again.
  struct Unopened {
    __device__ __forceinline__ Window wait() const {
      Window window{};
      window.highest = INT_MIN;
      return window;
    }
  };

  __device__ SumOfExtents<Op> extents_of_block() const {
    SumOfExtents<Op> all;
    for (int i = lane(); i < tiles * warps; i += 32) all.add({{}, memory.total[i].extent});
    all.close();
    return all;
  }
  /// If it takes a window.
  __device__ __noinline__ typename Op::Kept reduce_again(int t, const Window& window) const {
    typename Op::Kept kept{};
    typename Op::Total& total = memory.total[t * warps + warp()];
    if (total.is_wide && Op::holds(window, total.extent)) {
      const auto sum =
          Op::template wide_sum_up_to_lane<Tile::per_thread>(Tile::of_thread(memory.tile[t]), window, kept);
      if (lane() == 31) total.sum = sum;
    }
    __syncwarp();
    return kept;
  }

  /// The sums of the warps before each, and of the block in all lanes.
  static constexpr int passes = (most_tiles * warps + 31) / 32;
  struct SumsOfWarps {
    Sum before[passes], all;
    bool failed = false;
  };
  __device__ __forceinline__ SumsOfWarps sums_of_warps(const Window& window) const {
    SumsOfWarps sums;
    sums.all = Sum::of_nothing();
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      Sum own = Sum::of_nothing();
      const int i = 32 * p + lane();
      bool failed = false;
      if (i < tiles * warps) own = Op::sum_of(memory.total[i], window, failed);
      sums.failed |= failed;
      const Sum up_to = own.up_to_lane(32);
      sums.before[p] = sums.all.plus(up_to.without(own));
      sums.all = sums.all.plus(up_to.of_lane(31));
    }
    sums.failed = __any_sync(all_lanes, sums.failed);
    return sums;
  }

  __device__ __forceinline__ void find_starts_in_window(std::uint64_t number, unsigned epoch) const {
    const Window window = Op::open(job, epoch, 0);
    const SumsOfWarps sums = sums_of_warps(window);
    publish(sums.all.words(), number, epoch, sums.failed);
    typename Op::Before before(window.before);
    bool failed_before = false;
    for_each_status_before(epoch, [&](const StatusRead& read) {
      before.add(Sum::of(read.words()));
      failed_before |= read.failed();
    });
    failed_before = __any_sync(all_lanes, failed_before);
    before.close();
    put_starts(before, sums, window, failed_before || sums.failed);
    if (!failed_before) conclude(before, sums.failed ? Sum::of_nothing() : sums.all, window, sums.failed);
  }

  __device__ __forceinline__ void find_starts_in_extents(std::uint64_t number, unsigned epoch) const {
    using Sums = SumOfExtents<Op>;
    Sums own = extents_of_block();
    SumsOfWarps sums = sums_of_warps(own.window());
    own = Sums(sums.all.value, own.extent());
    // The first block alone: others might see a result in the place of an element.
    const bool is_closed = blockIdx.x == 0 && !Op::may_open(job, job.before.row);
    publish(own.words(), number, epoch, is_closed);
    if (is_closed && lane() == 0) {
      *job.after = job.before;
      job.after->scanned = job.done;
    }
    Sums before;
    bool failed_before = is_closed;
    for_each_status_before(epoch, [&](const StatusRead& read) {
      before.add(Sums::of(read.words()));
      failed_before |= read.failed();
    });
    failed_before = __any_sync(all_lanes, failed_before);
    before.close();
    failed_before |= !before.holds();
    Sums all = before;
    all.add(Sums({}, own.extent()));
    const bool failed = !all.holds();
    if (!failed && all.window().unit != own.window().unit)
      sums = sums_of_warps_in(all.window(), own.window());
    if (failed) all = before;
    const Window window = all.window();
    const ExactBefore sum_before(all.sum());
    put_starts(sum_before, sums, window, failed_before || failed);
    if (!failed_before) conclude(sum_before, failed ? Sum::of_nothing() : sums.all, window, failed);
  }
  /// If another block's elements made the window another one.
  __device__ __noinline__ SumsOfWarps sums_of_warps_in(const Window& window, const Window& before) const {
    for (int i = lane(); i < tiles * warps; i += 32)
      if (typename Op::Total& total = memory.total[i]; total.is_wide)
        total.sum = moved(total.sum, window.unit - before.unit);
    return sums_of_warps(window);
  }

  template <class F>
  __device__ __forceinline__ void for_each_status_before(unsigned epoch, const F& f) const {
    for_each_status(job.workspace->status, 0, static_cast<int>(blockIdx.x), epoch, [] { return false; }, f);
  }
  /// Tells the other blocks the sum of this one, and counts it: the last one counts the launch.
  __device__ __forceinline__ void publish(const Wide& words, std::uint64_t number, unsigned epoch,
                                          bool failed) const {
    if (lane() != 0) return;
    ScanWorkspace& workspace = *job.workspace;
    put_status(workspace.status[blockIdx.x], words, epoch, failed);
    if (atomicAdd(&workspace.arrivals, 1) != gridDim.x - 1) return;
    workspace.arrivals = 0;
    workspace.number = number;
  }
  template <class Before>
  __device__ __forceinline__ void put_starts(const Before& before, const SumsOfWarps& sums,
                                             const Window& window, bool failed) const {
#pragma unroll
    for (int p = 0; p < passes; ++p) {
      const int i = 32 * p + lane();
      if (i < tiles * warps)
        memory.start[i] =
            failed ? typename Op::Start{} : Op::begin(before, sums.before[p], memory.total[i], window);
    }
    if (lane() == 0) memory.window = window;
  }
  /// Leaves the sum after the last block, or before the first one that failed.
  template <class Before>
  __device__ __forceinline__ void conclude(const Before& before, const Sum& own, const Window& window,
                                           bool failed) const {
    if (!failed && blockIdx.x != gridDim.x - 1) return;
    Op::keep(before, own, window, *job.after);
    if (lane() == 0)
      job.after->scanned = job.done + (failed ? std::int64_t{first} * Tile::elements : job.count);
  }
};

#endif

}  // namespace foldline::cuda
