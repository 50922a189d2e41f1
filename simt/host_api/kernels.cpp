// What the host asks about kernels, before it launches them.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <simt/simt.hpp>
#include <string>

#include "devices/device_state.hpp"

namespace simt {

cudaError_t remember_refusal(void (*start)(void* context), void* context) {
  try {
    start(context);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::launch) throw;
    return remember(cudaErrorInvalidConfiguration, error.what());
  }
  return cudaSuccess;
}

cudaError_t most_resident_threads(int* grid, int* block, const void*, std::size_t shared_bytes,
                                  int most_threads) {
  const DeviceModel& device = options().device;
  const int most = most_threads > 0 ? std::min(most_threads, DeviceModel::threads_per_block)
                                    : DeviceModel::threads_per_block;
  int best = 0;
  for (int threads = most / 32 * 32; threads > 0; threads -= 32) {
    const int blocks = resident_blocks(device, threads, shared_bytes);
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * device.multiprocessors;
  }
  return cudaSuccess;
}

}  // namespace simt

/// Registers are not known: the kernel was compiled for another processor.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  const simt::DeviceModel& device = simt::options().device;
  *attributes = {};
  attributes->maxThreadsPerBlock = simt::DeviceModel::threads_per_block;
  attributes->ptxVersion = attributes->binaryVersion = device.capability();
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(simt::dynamic_shared_limit(kernel));
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const std::size_t most = simt::options().device.shared_per_block_at_most;
  if (value < 0 || static_cast<std::size_t>(value) > most)
    return simt::remember(cudaErrorInvalidValue, "cudaFuncSetAttribute: a block has " + std::to_string(most) +
                                                     " bytes of shared memory at most on a " +
                                                     std::string(simt::options().device.name) + ", not " +
                                                     std::to_string(value));
  simt::set_dynamic_shared_limit(kernel, static_cast<std::size_t>(value));
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int block,
                                                          std::size_t shared_bytes) {
  *blocks = simt::resident_blocks(simt::options().device, block, shared_bytes);
  return cudaSuccess;
}
