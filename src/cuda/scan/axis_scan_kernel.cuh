// The kernels of scans along an axis, and their launch.
#pragma once

#include <algorithm>
#include <new>
#include <type_traits>

#include "cuda/device/block.cuh"
#include "cuda/scan/axis_scan_launch.hpp"
#include "cuda/scan/axis_scan_team_floats.cuh"
#include "cuda/scan/axis_scan_team_integers.cuh"
#include "cuda/scan/axis_scan_walk.hpp"
#include "cuda/scan/scan_job.cuh"

namespace foldline::cuda {

/// Threads of a block that scan a part each: through tiles few, since each has room for a long number in
/// shared memory; straight through memory the warps take turns with that of one.
template <bool Straight>
inline constexpr int axis_scan_threads = Straight ? 128 : 64;
template <class Kind, bool Straight>
inline constexpr int long_numbers = Kind::has_integer_results ? 1
                                    : Straight                ? 32
                                                              : axis_scan_threads<false>;

template <class Kind, bool Adds>
__device__ __forceinline__ void finish_part(const AxisScanTask& task, const RunningSumOf<Kind>& sum,
                                            std::int64_t index) {
  if constexpr (Adds)
    sum.store(*task.sums, index);
  else if constexpr (Kind::has_integer_results)
    if (sum.overflow >= 0) atomicMax(task.status, ~static_cast<unsigned long long>(sum.overflow));
}

/// Adds up all parts, or scans them, a thread each.
template <class Kind, bool Adds>
__global__ void __launch_bounds__(axis_scan_threads<true>, Kind::is_shorter_than_double ? 8 : 6)
    scan_parts_straight(const __grid_constant__ AxisScanTask task, const __grid_constant__ ScanStart start) {
  __shared__ StateMemory states[long_numbers<Kind, true>];
  const PartScan<Kind, Adds> scan{task};
  const std::int64_t all = task.vectors * task.parts;
  const std::int64_t step = std::int64_t{gridDim.x} * axis_scan_threads<true>;
  for (std::int64_t first = std::int64_t{blockIdx.x} * axis_scan_threads<true>; first < all; first += step) {
    const std::int64_t index = first + threadIdx.x;
    VectorPart part{};
    RunningSumOf<Kind> sum;
    std::int64_t done = 0;
    if constexpr (!Kind::has_integer_results) sum.state = nullptr;
    if (index < all) {
      part = part_of_task(task, index);
      scan.begin(sum, start, part, index);
      bool is_long = false;
      if constexpr (!Kind::has_integer_results) is_long = sum.is_long;
      if (!is_long) done = scan.straight(part, sum, 0);
      if (done == part.length) finish_part<Kind, Adds>(task, sum, index);
    }
    if constexpr (!Kind::has_integer_results) {
      const bool is_left = done < part.length;
      if (!__syncthreads_or(is_left)) continue;
      for (int turn = 0; turn < axis_scan_threads<true> / 32; ++turn) {
        if (turn == warp() && is_left) {
          sum.state = states[lane()].state();
          if (done == 0) scan.begin(sum, start, part, index);
          scan.straight(part, sum, done);
          finish_part<Kind, Adds>(task, sum, index);
        }
        __syncthreads();
      }
    }
  }
}

/// The same through tiles.
template <class Kind, bool Adds>
__global__ void __launch_bounds__(axis_scan_threads<false>)
    scan_parts_in_tiles(const __grid_constant__ AxisScanTask task, const __grid_constant__ ScanStart start) {
  using Tile = ScanTile<Kind, Adds>;
  __shared__ StateMemory states[long_numbers<Kind, false>];
  __shared__ alignas(16) std::byte tiles[axis_scan_threads<false> / 32][sizeof(Tile)];
  const PartScan<Kind, Adds> scan{task};
  RunningSumOf<Kind> sum;
  if constexpr (!Kind::has_integer_results) sum.state = states[threadIdx.x].state();
  const std::int64_t all = task.vectors * task.parts;
  const std::int64_t step = std::int64_t{gridDim.x} * axis_scan_threads<false>;
  for (std::int64_t first = std::int64_t{blockIdx.x} * axis_scan_threads<false> + warp() * 32; first < all;
       first += step) {
    const std::int64_t index = first + lane();
    const bool has_part = index < all;
    VectorPart part{};
    if (has_part) {
      part = part_of_task(task, index);
      scan.begin(sum, start, part, index);
    }
    Tile& tile = *reinterpret_cast<Tile*>(tiles[warp()]);
    tile.part[lane()] = part;
    __syncwarp();
    typename Tile::Ahead ahead;
    tile.read(task, lane(), 0, ahead);
    for (std::int64_t i = 0; i < task.part; i += Tile::columns) {
      tile.put(task, lane(), i, ahead);
      __syncwarp();
      if (i + Tile::columns < task.part) tile.read(task, lane(), i + Tile::columns, ahead);
      tile.scan(task, lane(), i, sum);
      __syncwarp();
      if (!Adds) tile.write(task, lane(), i);
      __syncwarp();
    }
    if (has_part) finish_part<Kind, Adds>(task, sum, index);
  }
}

template <class Kind, int Warps>
using TeamSum =
    std::conditional_t<Kind::has_integer_results, TeamIntegers<Kind, Warps>, TeamFloats<Kind, Warps>>;

/// The same, a team each.
template <class Kind, bool Adds, int Warps>
__global__ void __launch_bounds__(team_threads, Kind::is_shorter_than_double ? 6 : 5)
    scan_parts_by_teams(const __grid_constant__ AxisScanTask task, const __grid_constant__ ScanStart start) {
  using Own = Team<Warps>;
  __shared__ alignas(16) std::byte bytes[sizeof(TeamMemory<Kind>)];
  auto& memory = *reinterpret_cast<TeamMemory<Kind>*>(bytes);
  const std::int64_t all = task.vectors * task.parts, step = std::int64_t{gridDim.x} * Own::of_block;
  for (std::int64_t index = std::int64_t{blockIdx.x} * Own::of_block + Own::number(); index < all;
       index += step) {
    const VectorPart part = part_of_task(task, index);
    TeamSum<Kind, Warps> sum(task, part, memory);
    if constexpr (Adds) {
      sum.add_up(*task.sums, index);
    } else {
      const PartSums& before = *task.sums;
      if constexpr (Kind::has_integer_results)
        sum.start(task.parts > 1 ? before.integer[index] : start.integer);
      else if (task.parts > 1)
        sum.start(before.sum[index], before.is_long[index], before.state[index]);
      else
        sum.start(start.sum, start.is_long, start.state);
      scan_part<Kind, Warps>(task, part, memory.warps[warp()], sum);
    }
    Own::sync();
  }
}

__device__ __forceinline__ bool merge(Uint128& sum, const Uint128& other) {
  sum += other;
  return true;
}

inline constexpr int prefix_threads = 128;

/// Replaces sums, `step` apart, by those before them; false, and nothing changed, if two doubles cannot hold
/// these. All threads call; `holds`: the thread knows of nothing else that they cannot hold.
template <class T>
__device__ bool exclusive_sums(T* sums, std::int64_t count, std::int64_t step, const T& start,
                               const T& neutral, T (&totals)[prefix_threads], bool holds) {
  const std::int64_t each = (count - 1) / prefix_threads + 1, first = threadIdx.x * each;
  const std::int64_t last = lesser(count, first + each);
  T own = neutral;
  for (std::int64_t i = first; i < last; ++i) holds = merge(own, sums[i * step]) && holds;
  totals[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    T before = start;
    for (std::int64_t k = 0; k * each < count; ++k) {
      const T total = totals[k];
      totals[k] = before;
      holds = merge(before, total) && holds;
    }
  }
  __syncthreads();
  own = totals[threadIdx.x];
  for (std::int64_t i = first; i < last; ++i) holds = merge(own, sums[i * step]) && holds;
  if (!__syncthreads_and(holds)) return false;
  own = totals[threadIdx.x];
  for (std::int64_t i = first; i < last; ++i) {
    const T sum = sums[i * step];
    sums[i * step] = own;
    merge(own, sum);
  }
  __syncthreads();
  return true;
}

template <bool OfIntegers>
__global__ void __launch_bounds__(prefix_threads)
    sums_before_parts(const __grid_constant__ AxisScanTask task, const __grid_constant__ ScanStart start) {
  PartSums& sums = *task.sums;
  for (std::int64_t vector = blockIdx.x; vector < task.vectors; vector += gridDim.x) {
    if constexpr (OfIntegers) {
      __shared__ alignas(16) std::byte totals[sizeof(Uint128) * prefix_threads];
      exclusive_sums(sums.integer + vector, task.parts, task.vectors, start.integer, Uint128{0},
                     *reinterpret_cast<Uint128(*)[prefix_threads]>(totals), true);
    } else {
      __shared__ alignas(16) std::byte totals[sizeof(TwoDoubles) * prefix_threads];
      __shared__ StateMemory memory;
      bool holds = !start.is_long;
      for (std::int64_t i = threadIdx.x; i < task.parts; i += prefix_threads)
        holds = holds && !sums.is_long[i * task.vectors + vector];
      if (!exclusive_sums(sums.sum + vector, task.parts, task.vectors, start.sum, TwoDoubles(),
                          *reinterpret_cast<TwoDoubles(*)[prefix_threads]>(totals), holds)) {
        if (threadIdx.x == 0) {
          ScanState& running = *new (memory.bytes) ScanState(start.state);
          find_sums_before(sums, task, vector, running);
        }
        __syncthreads();
      }
    }
  }
}

template <class Kind, bool Adds>
void launch_parts(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  const auto launch = [&](auto kernel, int threads, std::int64_t parts_of_block) {
    constexpr std::int64_t most_blocks = 1 << 20;
    const std::int64_t blocks = (task.vectors * task.parts - 1) / parts_of_block + 1;
    launch_kernel(kernel, static_cast<int>(std::min(blocks, most_blocks)), threads, stream, task, start);
  };
  if (task.team_warps == 1)
    launch(&scan_parts_by_teams<Kind, Adds, 1>, team_threads, Team<1>::of_block);
  else if (task.team_warps > 1)
    launch(&scan_parts_by_teams<Kind, Adds, max_team_warps>, team_threads, 1);
  else if (task.along)
    launch(&scan_parts_in_tiles<Kind, Adds>, axis_scan_threads<false>, axis_scan_threads<false>);
  else
    launch(&scan_parts_straight<Kind, Adds>, axis_scan_threads<true>, axis_scan_threads<true>);
}

template <class Kind>
void launch_axis_scan(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  if (task.parts > 1) {
    launch_parts<Kind, true>(task, ScanStart(ScanState()), stream);
    launch_kernel(&sums_before_parts<Kind::has_integer_results>, static_cast<int>(task.vectors),
                  prefix_threads, stream, task, start);
  }
  launch_parts<Kind, false>(task, start, stream);
}

}  // namespace foldline::cuda
