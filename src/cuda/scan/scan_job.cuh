// The parameters of two-pass scans.
#pragma once

#include <algorithm>

#include "cuda/device/any_vector.cuh"
#include "cuda/device/warp_scan.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/scan/scan_workspace.cuh"

namespace foldline::cuda {

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
