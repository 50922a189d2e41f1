// What the scans that read their tiles twice have in common.
#pragma once

#include <algorithm>

#include "cuda/device/any_vector.cuh"
#include "cuda/device/warp_scan.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/scan/tile_status.cuh"

namespace foldline::cuda {

/// A thread takes neighbouring elements: its loads come from lines that its first one brought to the L1
/// cache.
inline constexpr int scan_threads = 128, elements_per_thread = 16;
inline constexpr int scan_tile = scan_threads * elements_per_thread;
/// Tiles of a launch: so few that most of what is read twice comes from the L2 cache the second time.
inline constexpr int max_scan_tiles = 2048;
inline constexpr std::int64_t max_scan_elements = std::int64_t{max_scan_tiles} * scan_tile;

/// The same of scans whose results are floating-point numbers, which take larger tiles: so many at a time.
inline constexpr int max_float_tiles = 16384, max_scan_blocks = 1024;

/// Tiles of a launch of a pipeline.
inline constexpr int max_pipeline_tiles = 1 << 17;

/// The finite, non-zero elements of a tile are below 2^top and multiples of 2^place.
struct TileExtent {
  int top, place;
  bool is_unusual;  // there are elements that are infinite or NaN
};

struct ScanWorkspace {
  TileStatus status[max_pipeline_tiles];
  WindowStatus window;
  long long overflow;           // of pipelines: the first result that its type does not hold
  std::uint64_t number;         // of the last pipeline
  std::uint64_t failed_number;  // of the last one in which a tile failed
  unsigned arrivals;            // of its blocks
  ScanCarry carry;
  // Of every tile its sum, and then the sum of all before it.
  Uint128 tile_sum[max_scan_tiles];
  // Of every tile the sum of the block's tiles before it, and what its elements are; of every block the sum
  // of its tiles, and then the sum of all before it.
  std::int64_t tile_row[max_float_tiles][scan_rows];
  TileExtent extent[max_float_tiles];
  std::int64_t block_row[scan_rows][max_scan_blocks];
  unsigned row_epoch[max_scan_blocks];  // of scans at once: the launch that a block's row is of
};

/// The scan of a launch, for its kernels.
struct ScanJob {
  AnyVector x, out;
  std::int64_t done;
  int count;
  bool exclusive;
  int tile = 0;  // where this block stands

  __host__ ScanJob(const Scan& scan, std::int64_t before, int size)
      : x(scan.x.data(), scan.x.type(), scan.x.stride()),
        out(scan.out.data(), scan.out.type(), scan.out.stride()),
        done(before),
        count(size),
        exclusive(scan.exclusive) {}
  /// Of the elements from number `first` on, so many or what there is of `size`.
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

/// Starts a kernel. Not by <<<>>>: that leaves its error where one of the caller's may be already.
template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream,
           Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                         addresses, 0, stream),
        "starting a scan");
}

}  // namespace foldline::cuda
