// The device: there is one, number 0.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <simt/devices.hpp>
#include <simt/simt.hpp>
#include <string>

#include "devices/device_state.hpp"
#include "memory/memory.hpp"

namespace {

using simt::DeviceModel;
using simt::remember;

constexpr int cuda_version = 13000;
constexpr std::size_t constant_bytes = 65536;

int as_int(std::size_t bytes) { return static_cast<int>(bytes); }

cudaError_t check_device(const char* function, int device) {
  if (device == 0) return cudaSuccess;
  return remember(cudaErrorInvalidDevice,
                  std::string(function) + ": there is one device, 0, and no " + std::to_string(device));
}

cudaDeviceProp properties_of(const DeviceModel& model) {
  cudaDeviceProp p{};
  model.full_name.copy(p.name, sizeof p.name - 1);
  p.totalGlobalMem = model.memory_bytes;
  p.sharedMemPerBlock = model.shared_per_block;
  p.regsPerBlock = p.regsPerMultiprocessor = model.registers_per_multiprocessor;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = DeviceModel::threads_per_block;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = static_cast<int>(model.blocks_of_a_grid);
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = model.clock_khz;
  p.totalConstMem = constant_bytes;
  p.major = model.major;
  p.minor = model.minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.deviceOverlap = p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = 1;
  p.multiProcessorCount = model.multiprocessors;
  p.maxTexture1D = p.maxTexture2D[0] = model.elements_of_array_1d;
  p.maxTexture1DLinear = static_cast<int>(model.elements_of_linear_texture);
  p.maxTexture2D[1] = 65536;
  p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = model.major < 3 ? 2048 : 16384;
  p.ECCEnabled = 1;
  p.asyncEngineCount = 2;
  p.memoryClockRate = model.memory_clock_khz;
  p.memoryBusWidth = model.memory_bus_bits;
  p.l2CacheSize = as_int(model.l2_bytes);
  p.maxThreadsPerMultiProcessor = model.threads_per_multiprocessor;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = model.shared_per_multiprocessor;
  p.managedMemory = has(model, simt::Feature::managed_memory);
  p.concurrentManagedAccess = p.cooperativeLaunch = has(model, simt::Feature::cooperative_launch);
  p.sharedMemPerBlockOptin = model.shared_per_block_at_most;
  p.maxBlocksPerMultiProcessor = model.blocks_per_multiprocessor;
  p.reservedSharedMemPerBlock = model.shared_reserved_per_block;
  return p;
}

/// False for an attribute that is not known here.
bool find_attribute(const cudaDeviceProp& p, cudaDeviceAttr attribute, int& value) {
  const auto is = [&value](int found) {
    value = found;
    return true;
  };
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return is(p.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX:
      return is(p.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY:
      return is(p.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ:
      return is(p.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX:
      return is(p.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY:
      return is(p.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ:
      return is(p.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return is(as_int(p.sharedMemPerBlock));
    case cudaDevAttrTotalConstantMemory:
      return is(as_int(p.totalConstMem));
    case cudaDevAttrWarpSize:
      return is(p.warpSize);
    case cudaDevAttrMaxRegistersPerBlock:
      return is(p.regsPerBlock);
    case cudaDevAttrClockRate:
      return is(p.clockRate);
    case cudaDevAttrMultiProcessorCount:
      return is(p.multiProcessorCount);
    case cudaDevAttrKernelExecTimeout:
      return is(p.kernelExecTimeoutEnabled);
    case cudaDevAttrIntegrated:
      return is(p.integrated);
    case cudaDevAttrCanMapHostMemory:
      return is(p.canMapHostMemory);
    case cudaDevAttrMaxTexture1DWidth:
      return is(p.maxTexture1D);
    case cudaDevAttrMaxTexture2DWidth:
      return is(p.maxTexture2D[0]);
    case cudaDevAttrMaxTexture2DHeight:
      return is(p.maxTexture2D[1]);
    case cudaDevAttrConcurrentKernels:
      return is(p.concurrentKernels);
    case cudaDevAttrMemoryClockRate:
      return is(p.memoryClockRate);
    case cudaDevAttrGlobalMemoryBusWidth:
      return is(p.memoryBusWidth);
    case cudaDevAttrL2CacheSize:
      return is(p.l2CacheSize);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return is(p.maxThreadsPerMultiProcessor);
    case cudaDevAttrAsyncEngineCount:
      return is(p.asyncEngineCount);
    case cudaDevAttrUnifiedAddressing:
      return is(p.unifiedAddressing);
    case cudaDevAttrComputeCapabilityMajor:
      return is(p.major);
    case cudaDevAttrComputeCapabilityMinor:
      return is(p.minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return is(as_int(p.sharedMemPerMultiprocessor));
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return is(p.regsPerMultiprocessor);
    case cudaDevAttrManagedMemory:
      return is(p.managedMemory);
    case cudaDevAttrConcurrentManagedAccess:
      return is(p.concurrentManagedAccess);
    case cudaDevAttrCooperativeLaunch:
      return is(p.cooperativeLaunch);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return is(as_int(p.sharedMemPerBlockOptin));
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return is(p.maxBlocksPerMultiProcessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return is(as_int(p.reservedSharedMemPerBlock));
  }
  return false;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return check_device("cudaSetDevice", device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = properties_of(simt::options().device);
  return check_device("cudaGetDeviceProperties", device);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!find_attribute(properties_of(simt::options().device), attribute, *value))
    return remember(cudaErrorInvalidValue, "cudaDeviceGetAttribute: the simulator does not know attribute " +
                                               std::to_string(attribute));
  return check_device("cudaDeviceGetAttribute", device);
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaThreadSynchronize() { return cudaSuccess; }
cudaError_t cudaDeviceReset() {
  simt::reset_device_state();
  return cudaSuccess;
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = cuda_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int) {
  *can = 0;
  return check_device("cudaDeviceCanAccessPeer", device);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = simt::options().device.memory_bytes;
  *free = *total - std::min(*total, simt::device_memory().in_use());
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
