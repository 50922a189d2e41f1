// The workspace of scans, and what two-pass scans share.
#pragma once

#include <algorithm>

#include "cuda/device/any_vector.cuh"
#include "cuda/device/warp_scan.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/scan/tile_status.cuh"

namespace foldline::cuda {

/// A thread takes neighbouring elements: its later loads hit cache lines that its first load brought to L1.
inline constexpr int scan_threads = 128, elements_per_thread = 16;
inline constexpr int scan_tile = scan_threads * elements_per_thread;
/// Tiles of a launch: few enough that most elements are still in L2 for the second pass.
inline constexpr int max_scan_tiles = 2048;
inline constexpr std::int64_t max_scan_elements = std::int64_t{max_scan_tiles} * scan_tile;

/// The same for scans with floating-point results, which have larger tiles; and the most blocks.
inline constexpr int max_float_tiles = 16384, max_scan_blocks = 1024;

/// Tiles of a pipeline launch.
inline constexpr int max_pipeline_tiles = 1 << 17;

/// The finite, non-zero elements of a tile are below 2^top and multiples of 2^lowest_bit.
struct TileExtent {
  int top, lowest_bit;
  bool has_nonfinite;  // an element is infinite or NaN
};

struct ScanWorkspace {
  TileStatus status[max_pipeline_tiles];
  WindowStatus window;
  long long overflow;           // of pipelines: index of the first result that its type cannot hold
  std::uint64_t number;         // of the last pipeline or single-wave launch
  std::uint64_t failed_number;  // of the last launch in which a tile failed
  unsigned arrivals;            // blocks of the running launch that have read `number`
  ScanCarry carry;
  // The sum of each tile, then the sum of all tiles before it.
  Uint128 tile_sum[max_scan_tiles];
  // For each tile the sum of the block's tiles before it, and the extent of its elements; for each block the
  // sum of its tiles, then the sum of all blocks before it.
  std::int64_t tile_row[max_float_tiles][scan_rows];
  TileExtent extent[max_float_tiles];
  std::int64_t block_row[scan_rows][max_scan_blocks];
  unsigned row_epoch[max_scan_blocks];  // of single-wave scans: number of the launch to which a block's row
                                        // belongs
};

/// The parameters of a two-pass launch.
struct ScanJob {
  AnyVector x, out;
  std::int64_t done;
  int count;
  bool exclusive;
  int tile = 0;  // tile of this block

  __host__ ScanJob(const Scan& scan, std::int64_t before, int size)
      : x(scan.x.data(), scan.x.type(), scan.x.stride()),
        out(scan.out.data(), scan.out.type(), scan.out.stride()),
        done(before),
        count(size),
        exclusive(scan.exclusive) {}
  /// The job of `elements` elements from number `first` on, or of what `size` leaves.
  __device__ ScanJob part(std::int64_t first, std::int64_t elements, std::int64_t size) const {
    ScanJob result = *this;
    result.x.first += first * x.step;
    result.out.first += first * out.step;
    result.count = static_cast<int>(min(elements, size - first));
    return result;
  }
  /// The elements of this thread.
  __device__ int begin() const {
    return tile * scan_tile + static_cast<int>(threadIdx.x) * elements_per_thread;
  }
  __device__ int end() const { return min(count, begin() + elements_per_thread); }
};

/// Launches a kernel. Not with <<<>>>, which leaves its error code where the caller's previous error may be.
template <class... Parameters, class... Arguments>
void launch_kernel(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream,
                   Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                         addresses, 0, stream),
        "starting a scan");
}

}  // namespace foldline::cuda
