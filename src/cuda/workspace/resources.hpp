// Memory that calls borrow: allocated once, used again by later calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "cuda/finish/results.hpp"

namespace foldline::cuda {

struct Workspace;
struct ScanCarry;
struct ScanWorkspace;

/// What one running call needs on a device.
struct Resources {
  int device = 0;
  Workspace* workspace = nullptr;  // on the device
  KernelResult* result = nullptr;  // pinned memory of the host, which kernels write to
  // For data of the host, which goes to the device piece by piece; `staging_bytes` each, made at first use.
  std::byte *staging = nullptr, *device_buffer = nullptr;
  cudaStream_t stream = nullptr;
  ScanWorkspace* scan_workspace = nullptr;  // on the device, made at first use
  ScanCarry* scan_carry = nullptr;          // in pinned memory, and the rest likewise
  bool has_scan_pipelines = false;
  int multiprocessors = 0;

  // For reductions along an axis whose results several blocks share; zero. Made at first use.
  std::byte* axis_totals = nullptr;
  std::size_t axis_totals_size = 0;

  // For exact matrix products, as much as the largest one took; and cuBLAS, if it is there.
  std::byte* product_memory = nullptr;
  std::size_t product_memory_size = 0;
  void* cublas = nullptr;
  bool cublas_was_looked_for = false;

  explicit Resources(int device);
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  void make_staging();
  void make_scan_workspace();
  void make_axis_totals(std::size_t bytes);
  /// Returns whether it is other memory than before, or memory whose content is lost.
  bool make_product_memory(std::size_t bytes);
  void make_cublas();

  static constexpr std::size_t staging_bytes = std::size_t{16} << 20;
};

/// Resources of a device, for one call at a time. Those of a call that failed are not used again: a kernel
/// that was stopped may have left anything in them.
class Lease {
 public:
  explicit Lease(int device);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Resources* operator->() const { return resources_.get(); }

 private:
  std::unique_ptr<Resources> resources_;
  int exceptions_;
};

}  // namespace foldline::cuda
