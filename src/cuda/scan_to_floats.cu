// Scans whose results are floating-point numbers, of any elements whatever: exact sums of tiles in rows of
// limbs, and within a tile element by element with the CPU's exact prefix.
#include <cooperative_groups.h>

#include "cuda/carry_limbs.cuh"
#include "cuda/scan_tiles.cuh"
#include "rounded_results.hpp"

namespace foldline::cuda {

namespace {

/// The sum of a thread's elements, in rows. Of the limbs only those in [first, last) are used, the same
/// throughout a warp, and so few that most stay in the L1 cache.
class ThreadRows {
 public:
  template <bool Floating>
  __device__ void add_elements(const ScanJob& job) {
    unsigned above_lowest = 0, highest = 0;  // maxima both
    for_each_number<Floating>(job, [&](bool, std::uint64_t, int exponent) {
      const auto row = static_cast<unsigned>(exponent - SumLimbs::first_exponent) / 32;
      above_lowest = max(above_lowest, limb_rows - row);
      highest = max(highest, row + digits);
    });
    first_ = limb_rows - static_cast<int>(warp_max(above_lowest));
    last_ = static_cast<int>(warp_max(highest));
    for (int r = first_; r < last_; ++r) row_[r] = 0;
    for (int r = limb_rows; r < scan_rows; ++r) row_[r] = 0;
    for_each_number<Floating>(job, [&](bool negative, std::uint64_t significand, int exponent) {
      add(negative, significand, exponent - SumLimbs::first_exponent);
    });
    for (int i = job.begin(); i < job.end(); ++i) count<Floating>(job, i);
  }

  /// Replaces the rows by those of the elements of the threads before in the warp, and leaves the warp's in
  /// `total`.
  __device__ void replace_by_sums_before(std::int64_t (&total)[scan_rows]) {
    for (int r = lane(); r < limb_rows; r += 32)
      if (!has(r)) total[r] = 0;
    for (int r = first_; r < last_; ++r) replace_by_sum_before(r, total);
    for (int r = limb_rows; r < scan_rows; ++r) replace_by_sum_before(r, total);
  }

  /// The sum of this and all that was before the warp.
  __device__ void begin(const std::int64_t (&before)[scan_rows], ScanState& state) const {
    state.prefix.assign([&](int r) { return before[r] + (has(r) ? row_[r] : 0); });
    const auto sum = [&](int r) { return before[r] + row_[r]; };
    state.specials = {sum(nan_row), sum(positive_infinity_row), sum(negative_infinity_row)};
    state.only_negative_zeros = sum(other_than_negative_zero_row) == 0;
  }

 private:
  static constexpr unsigned digits = 3;

  /// Calls f(negative, significand, exponent) for every finite element but zeros.
  template <bool Floating, class F>
  static __device__ void for_each_number(const ScanJob& job, const F& f) {
    for (int i = job.begin(); i < job.end(); ++i) {
      if constexpr (Floating) {
        const double x = job.x.floating(i);
        const Decomposed parts = decompose(x);
        if (parts.significand != 0 && (bits_of(x) & infinity_bits) != infinity_bits)
          f(parts.negative, parts.significand, parts.exponent);
      } else {
        const Int128 x = job.x.integer(i);
        if (x != 0) f(x < 0, static_cast<std::uint64_t>(x < 0 ? -x : x), 0);
      }
    }
  }

  __device__ void add(bool negative, std::uint64_t significand, int offset) {
    const Uint128 aligned = static_cast<Uint128>(significand) << (offset % 32);
    std::int64_t* const row = row_ + offset / 32;
    for (int d = 0; d < static_cast<int>(digits); ++d) {
      const std::int64_t digit = static_cast<std::uint32_t>(aligned >> (32 * d));
      row[d] += negative ? -digit : digit;
    }
  }

  template <bool Floating>
  __device__ void count(const ScanJob& job, int i) {
    const std::uint64_t bits = Floating ? bits_of(job.x.floating(i)) : 0;
    if ((bits & infinity_bits) == infinity_bits)
      ++row_[(bits & ~sign_bit) != infinity_bits ? nan_row
             : (bits & sign_bit) != 0            ? negative_infinity_row
                                                 : positive_infinity_row];
    if (bits != sign_bit) ++row_[other_than_negative_zero_row];
  }

  __device__ bool has(int r) const { return first_ <= r && r < last_; }

  __device__ void replace_by_sum_before(int r, std::int64_t (&total)[scan_rows]) {
    const std::int64_t up_to = sum_up_to_lane(row_[r]);
    row_[r] = up_to - row_[r];
    if (lane() == 31) total[r] = up_to;
  }

  int first_ = 0, last_ = 0;
  std::int64_t row_[scan_rows];
};

static_assert(scan_rows <= scan_threads);
using WarpRows = std::int64_t[scan_threads / 32][scan_rows];

/// Leaves the sum of a tile in the workspace.
template <bool Floating>
__device__ void add_up_tile(const ScanJob& job, ScanWorkspace* workspace, WarpRows& of_warp) {
  ThreadRows rows;
  rows.add_elements<Floating>(job);
  rows.replace_by_sums_before(of_warp[warp()]);
  __syncthreads();
  const auto r = static_cast<int>(threadIdx.x);
  if (r >= scan_rows) return;
  std::int64_t sum = 0;
  for (const auto& total : of_warp) sum += total[r];
  workspace->tile_row[r][job.tile] = sum;
}

/// Scans a tile, from the sum before it in the workspace.
template <bool Floating>
__device__ void scan_tile_of(const ScanJob& job, const FloatFormat& format, const ScanWorkspace* workspace,
                             WarpRows& of_warp) {
  ThreadRows rows;
  rows.add_elements<Floating>(job);
  rows.replace_by_sums_before(of_warp[warp()]);
  __syncthreads();
  const auto r = static_cast<int>(threadIdx.x);
  if (r < scan_rows) {
    std::int64_t sum = workspace->tile_row[r][job.tile];
    for (auto& total : of_warp) {
      const std::int64_t own = total[r];
      total[r] = sum;
      sum += own;
    }
  }
  __syncthreads();
  ScanState state;
  rows.begin(of_warp[warp()], state);
  for (int i = job.begin(); i < job.end(); ++i) {
    const auto put = [&] { job.out.put(i, encode(state.rounded(format), job.out.type)); };
    // What a scan in place overwrites is read before.
    if constexpr (Floating) {
      const double x = job.x.floating(i);
      if (job.exclusive) put();
      state.add(x);
    } else {
      const Int128 x = job.x.integer(i);
      if (job.exclusive) put();
      state.add_integer(x);
    }
    if (!job.exclusive) put();
  }
}

template <bool Floating>
__global__ void __launch_bounds__(scan_threads) add_up_tiles(ScanJob job, ScanWorkspace* workspace) {
  __shared__ WarpRows of_warp;
  job.tile = static_cast<int>(blockIdx.x);
  add_up_tile<Floating>(job, workspace, of_warp);
  if (blockIdx.x == 0 && warp() == 0) normalise(workspace->carry);
}

constexpr int threads_for_sums = 512;
__global__ void __launch_bounds__(threads_for_sums) add_up_rows(ScanWorkspace* workspace, int tiles) {
  sums_before<threads_for_sums>(workspace->tile_row[blockIdx.x], tiles, workspace->carry.row[blockIdx.x]);
}

template <bool Floating>
__global__ void __launch_bounds__(scan_threads)
    scan_tiles(ScanJob job, FloatFormat format, ScanWorkspace* workspace) {
  __shared__ WarpRows of_warp;
  job.tile = static_cast<int>(blockIdx.x);
  scan_tile_of<Floating>(job, format, workspace, of_warp);
}

/// The same in one cooperative launch, for all after the elements that pipelines have scanned: how many these
/// are is known on the device only.
__global__ void __launch_bounds__(scan_threads)
    scan_what_is_left(ScanJob job, std::int64_t size, FloatFormat format, ScanWorkspace* workspace) {
  __shared__ WarpRows of_warp;
  const auto grid = cooperative_groups::this_grid();
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  std::int64_t done = workspace->carry.scanned;
  job.x.first += done * job.x.step;
  job.out.first += done * job.out.step;
  for (; done < size; done += max_scan_elements) {
    job.count = static_cast<int>(min(max_scan_elements, size - done));
    const int tiles = (job.count - 1) / scan_tile + 1;
    for (job.tile = block; job.tile < tiles; job.tile += blocks) {
      add_up_tile<true>(job, workspace, of_warp);
      __syncthreads();
    }
    if (block == 0 && warp() == 0) normalise(workspace->carry);
    grid.sync();
    for (int row = block; row < scan_rows; row += blocks)
      sums_before<scan_threads>(workspace->tile_row[row], tiles, workspace->carry.row[row]);
    grid.sync();
    for (job.tile = block; job.tile < tiles; job.tile += blocks) {
      scan_tile_of<true>(job, format, workspace, of_warp);
      __syncthreads();
    }
    grid.sync();
    job.x.first += max_scan_elements * job.x.step;
    job.out.first += max_scan_elements * job.out.step;
  }
}

template <bool Floating>
std::int64_t launch_as(const Scan& scan, const ScanLaunch& launch) {
  const std::int64_t count = std::min(scan.x.size(), max_scan_elements);
  const int tiles = static_cast<int>((count - 1) / scan_tile + 1);
  const ScanJob job(scan, launch.done, static_cast<int>(count));
  start(add_up_tiles<Floating>, tiles, scan_threads, launch.stream, job, launch.workspace);
  start(add_up_rows, scan_rows, threads_for_sums, launch.stream, launch.workspace, tiles);
  start(scan_tiles<Floating>, tiles, scan_threads, launch.stream, job, format_of(scan.out.type()),
        launch.workspace);
  return count;
}

}  // namespace

std::int64_t launch_scan_to_floats(const Scan& scan, const ScanLaunch& launch) {
  return is_floating(scan.x.type()) ? launch_as<true>(scan, launch) : launch_as<false>(scan, launch);
}

void launch_scan_of_rest(const Scan& scan, ScanWorkspace* workspace, int multiprocessors,
                         cudaStream_t stream) {
  int blocks_at_a_time = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_a_time, scan_what_is_left, scan_threads, 0),
        "asking for a kernel's properties");
  const std::int64_t tiles = (std::min(scan.x.size(), max_scan_elements) - 1) / scan_tile + 1;
  const std::int64_t blocks = std::min<std::int64_t>(tiles, blocks_at_a_time * multiprocessors);
  ScanJob job(scan, 0, 0);
  std::int64_t size = scan.x.size();
  FloatFormat format = format_of(scan.out.type());
  void* arguments[] = {&job, &size, &format, &workspace};
  check(cudaLaunchCooperativeKernel(scan_what_is_left, dim3(static_cast<unsigned>(blocks)),
                                    dim3(scan_threads), arguments, 0, stream),
        "starting a scan");
}

}  // namespace foldline::cuda
