// Two-pass scans with integer results: sums modulo 2^128, of which a result keeps what its type holds.
#include <limits>

#include "cuda/scan/scan_job.cuh"

namespace foldline::cuda {

const std::size_t scan_workspace_bytes = sizeof(ScanWorkspace);

ScanCarry* carry_in(ScanWorkspace* workspace) { return &workspace->carry; }
long long* overflow_in(ScanWorkspace* workspace) { return &workspace->overflow; }

void clear_scan_workspace(ScanWorkspace* workspace) {
  check(cudaMemset(workspace, 0, scan_workspace_bytes), "clearing a workspace");
  const long long none = no_result;
  check(cudaMemcpy(overflow_in(workspace), &none, sizeof none, cudaMemcpyHostToDevice),
        "copying to the device");
  // Starts just below the end of the epochs, so that three scans test their wrap-around.
  constexpr std::uint64_t number = 0x7ffffffd;
  static_assert(epoch_of(next_number(next_number(next_number(number)))) == 1);
  check(cudaMemcpy(&workspace->number, &number, sizeof number, cudaMemcpyHostToDevice),
        "copying to the device");
}

namespace {

/// The range of valid results.
struct Range {
  Int128 lowest, highest;

  __host__ explicit Range(const Scan& scan) {
    const ElementType type = scan.out.type();
    const int bits = type == ElementType::boolean ? 1 : 8 * static_cast<int>(size_of(type));
    lowest = is_signed(type) ? -(Int128{1} << (bits - 1)) : 0;
    highest = (Int128{1} << (is_signed(type) ? bits - 1 : bits)) - 1;
    if (scan.overflow == Overflow::wrap) {
      highest = static_cast<Int128>(~Uint128{0} >> 1);
      lowest = -highest - 1;
    }
  }
  __device__ bool holds(Uint128 sum) const {
    const auto value = static_cast<Int128>(sum);
    return lowest <= value && value <= highest;
  }
};

__device__ Uint128 sum_of_thread(const ScanJob& job) {
  Uint128 sum = 0;
  for (int i = job.begin(); i < job.end(); ++i) sum += static_cast<Uint128>(job.x.integer(i));
  return sum;
}

__global__ void __launch_bounds__(scan_threads) add_up_tiles(ScanJob job, ScanWorkspace* workspace) {
  __shared__ Uint128 scratch[scan_threads / 32];
  job.tile = static_cast<int>(blockIdx.x);
  Uint128 total;
  exclusive_block_scan<scan_threads>(sum_of_thread(job), scratch, total);
  if (threadIdx.x == 0) workspace->tile_sum[blockIdx.x] = total;
}

constexpr int threads_for_sums = 512;
__global__ void __launch_bounds__(threads_for_sums) add_up_sums(ScanWorkspace* workspace, int tiles) {
  exclusive_scan_in_place<threads_for_sums>(workspace->tile_sum, tiles, workspace->carry.integer);
}

__global__ void __launch_bounds__(scan_threads)
    scan_tiles(ScanJob job, Range range, ScanWorkspace* workspace) {
  __shared__ Uint128 scratch[scan_threads / 32];
  job.tile = static_cast<int>(blockIdx.x);
  Uint128 total;
  Uint128 sum = exclusive_block_scan<scan_threads>(sum_of_thread(job), scratch, total);
  sum += workspace->tile_sum[blockIdx.x];
  const std::uint64_t mask = job.out.type == ElementType::boolean ? 1 : ~std::uint64_t{0};
  int first_overflow = job.end();
  for (int i = job.begin(); i < job.end(); ++i) {
    const Uint128 before = sum;
    sum += static_cast<Uint128>(job.x.integer(i));
    const Uint128 result = job.exclusive ? before : sum;
    if (!range.holds(result)) first_overflow = min(first_overflow, i);
    job.out.store(i, static_cast<std::uint64_t>(result) & mask);
  }
  if (first_overflow < job.end())
    atomicMin(reinterpret_cast<long long*>(&workspace->carry.overflow),
              static_cast<long long>(job.done + first_overflow));
}

}  // namespace

std::int64_t launch_scan_to_integers(const Scan& scan, const ScanLaunch& launch) {
  const std::int64_t count = std::min(scan.x.size(), max_scan_elements);
  const int tiles = static_cast<int>((count - 1) / scan_tile + 1);
  const ScanJob job(scan, launch.done, static_cast<int>(count));
  launch_kernel(add_up_tiles, tiles, scan_threads, launch.stream, job, launch.workspace);
  launch_kernel(add_up_sums, 1, threads_for_sums, launch.stream, launch.workspace, tiles);
  launch_kernel(scan_tiles, tiles, scan_threads, launch.stream, job, Range(scan), launch.workspace);
  return count;
}

}  // namespace foldline::cuda
