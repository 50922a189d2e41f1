#include "cuda/workspace/resources.hpp"

#include <exception>
#include <mutex>
#include <vector>

#include "cuda/product/cublas.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/properties.hpp"
#include "cuda/scan/launch_scan.hpp"

namespace foldline::cuda {

namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Resources>> free;
};

/// Never destroyed: at program exit the CUDA runtime may end first, and frees all device memory.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

/// Makes memory of the device at least so large. Returns true if it is new; what it held is lost.
bool grow(std::byte*& memory, std::size_t& size, std::size_t bytes, const char* doing) {
  if (bytes <= size) return false;
  cudaFree(memory);
  memory = nullptr;
  size = 0;
  void* larger = nullptr;
  check(cudaMalloc(&larger, bytes), doing);
  memory = static_cast<std::byte*>(larger);
  size = bytes;
  return true;
}

}  // namespace

Resources::Resources(int device_index) : Resources(device_index, Empty{}) {
  clear_kernel_attributes();
  void* memory = nullptr;
  check(cudaMalloc(&memory, workspace_bytes), "allocating a workspace");
  workspace = static_cast<Workspace*>(memory);
  check(cudaMemset(memory, 0, workspace_bytes), "clearing a workspace");
  check(cudaHostAlloc(&memory, sizeof(KernelResult), cudaHostAllocPortable), "allocating pinned memory");
  result = static_cast<KernelResult*>(memory);
  check(cudaStreamSynchronize(cudaStreamLegacy), "clearing a workspace");
}

Resources::~Resources() {
  cudaFree(workspace);
  cudaFreeHost(result);
  cudaFreeHost(staging);
  cudaFree(device_buffer);
  cudaFree(scan_workspace);
  cudaFree(axis_totals);
  cudaFree(product_memory);
  cudaFree(group_memory);
  destroy_cublas_handle(cublas);
  cudaFreeHost(scan_carry);
  if (stream != nullptr) cudaStreamDestroy(stream);
}

void Resources::make_staging() {
  if (stream == nullptr) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  void* memory = nullptr;
  if (staging == nullptr) {
    check(cudaHostAlloc(&memory, staging_bytes, cudaHostAllocPortable), "allocating pinned memory");
    staging = static_cast<std::byte*>(memory);
  }
  if (device_buffer == nullptr) {
    check(cudaMalloc(&memory, staging_bytes), "allocating a buffer on the device");
    device_buffer = static_cast<std::byte*>(memory);
  }
}

void Resources::make_scan_workspace() {
  if (scan_workspace != nullptr) return;
  void* memory = nullptr;
  has_scan_pipelines = has_pipelines();
  multiprocessors = multiprocessors_of(device);
  check(cudaHostAlloc(&memory, sizeof(ScanCarry), cudaHostAllocPortable), "allocating pinned memory");
  scan_carry = static_cast<ScanCarry*>(memory);
  check(cudaMalloc(&memory, scan_workspace_bytes), "allocating a workspace");
  scan_workspace = static_cast<ScanWorkspace*>(memory);
  clear_scan_workspace(scan_workspace);
  check(cudaStreamSynchronize(cudaStreamLegacy), "clearing a workspace");
}

void Resources::make_axis_totals(std::size_t bytes) {
  if (!grow(axis_totals, axis_totals_size, bytes, "allocating memory for totals")) return;
  check(cudaMemset(axis_totals, 0, bytes), "clearing memory for totals");
  check(cudaStreamSynchronize(cudaStreamLegacy), "clearing memory for totals");
}

void Resources::make_group_memory(std::size_t bytes) {
  grow(group_memory, group_memory_size, bytes, "allocating memory to group values by keys");
}

bool Resources::make_product_memory(std::size_t bytes) {
  return grow(product_memory, product_memory_size, bytes, "allocating memory for a matrix product");
}

void Resources::make_cublas() {
  if (!cublas_was_looked_for) cublas = new_cublas_handle();
  cublas_was_looked_for = true;
}

Lease::Lease(int device) : exceptions_(std::uncaught_exceptions()) {
  {
    const std::lock_guard lock(pool().mutex);
    auto& free = pool().free;
    for (std::size_t i = free.size(); i-- > 0 && resources_ == nullptr;)
      if (free[i]->device == device) {
        resources_ = std::move(free[i]);
        free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
      }
  }
  if (resources_ == nullptr) resources_ = std::make_unique<Resources>(device);
}

Lease::~Lease() {
  if (std::uncaught_exceptions() > exceptions_) return;
  const std::lock_guard lock(pool().mutex);
  pool().free.push_back(std::move(resources_));
}

}  // namespace foldline::cuda
