// Memory that calls borrow: allocated once and reused.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "cuda/finish/kernel_result.hpp"

namespace foldline::cuda {

struct Workspace;
struct ScanCarry;
struct ScanWorkspace;

/// The resources of one running call on a device.
struct Resources {
  int device = 0;
  Workspace* workspace = nullptr;  // in device memory
  KernelResult* result = nullptr;  // in pinned host memory, written by kernels
  // For input in host memory, which is copied in pieces. `staging_bytes` each, allocated at first use.
  std::byte *staging = nullptr, *device_buffer = nullptr;
  cudaStream_t stream = nullptr;
  ScanWorkspace* scan_workspace = nullptr;  // in device memory, allocated at first use
  ScanCarry* scan_carry = nullptr;          // in pinned memory, allocated at first use like all that follows
  bool has_scan_pipelines = false;
  int multiprocessors = 0;

  // Totals of reductions along an axis whose results several blocks share. Zero between calls.
  std::byte* axis_totals = nullptr;
  std::size_t axis_totals_size = 0;

  // For values in the order of their keys, as large as the largest so far.
  std::byte* group_memory = nullptr;
  std::size_t group_memory_size = 0;

  // For exact matrix products, as large as the largest so far; and a cuBLAS handle, if cuBLAS is available.
  std::byte* product_memory = nullptr;
  std::size_t product_memory_size = 0;
  void* cublas = nullptr;
  bool cublas_was_looked_for = false;

  explicit Resources(int device_index);
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  void make_staging();
  void make_scan_workspace();
  void make_axis_totals(std::size_t bytes);
  void make_group_memory(std::size_t bytes);
  /// Returns true if the memory is new or its content is lost.
  bool make_product_memory(std::size_t bytes);
  void make_cublas();

  static constexpr std::size_t staging_bytes = std::size_t{16} << 20;

 private:
  struct Empty {};
  Resources(int device_index, Empty) : device(device_index) {}  // the destructor runs if the other one throws
};

/// Resources of a device for one call. Those of a failed call are discarded, because an interrupted kernel
/// leaves them in an unknown state.
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
