#include "allocations.hpp"

#include <cuda_runtime_api.h>

#include <atomic>

namespace cuda_test {

namespace {

std::atomic<std::int64_t> made = 0, freed = 0, until_failure = 0;

template <class Allocate>
cudaError_t count(const Allocate& allocate) {
  if (until_failure > 0 && --until_failure == 0) return cudaErrorMemoryAllocation;
  const cudaError_t error = allocate();
  if (error == cudaSuccess) ++made;
  return error;
}

template <class Free>
cudaError_t count_free(const void* memory, const Free& free_memory) {
  if (memory != nullptr) ++freed;
  return free_memory();
}

}  // namespace

Allocations allocations() { return {made, made - freed}; }
void fail_allocation(std::int64_t number) { until_failure = number; }

}  // namespace cuda_test

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
cudaError_t __real_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __real_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t __real_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t __real_cudaFree(void* memory);
cudaError_t __real_cudaFreeHost(void* memory);
cudaError_t __real_cudaFreeAsync(void* memory, cudaStream_t stream);

cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
  return cuda_test::count([=] { return __real_cudaMalloc(memory, bytes); });
}
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return cuda_test::count([=] { return __real_cudaHostAlloc(memory, bytes, flags); });
}
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  return cuda_test::count([=] { return __real_cudaMallocAsync(memory, bytes, stream); });
}
cudaError_t __wrap_cudaFree(void* memory) {
  return cuda_test::count_free(memory, [=] { return __real_cudaFree(memory); });
}
cudaError_t __wrap_cudaFreeHost(void* memory) {
  return cuda_test::count_free(memory, [=] { return __real_cudaFreeHost(memory); });
}
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  return cuda_test::count_free(memory, [=] { return __real_cudaFreeAsync(memory, stream); });
}
// NOLINTEND(bugprone-reserved-identifier)
}
