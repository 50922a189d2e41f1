// Memory: of the device, and of the host where kernels reach it.
#include <cuda_runtime_api.h>

#include <simt/device_memory.hpp>
#include <simt/simt.hpp>
#include <string>

#include "devices/device_state.hpp"
#include "memory/memory.hpp"

namespace {

using simt::MemoryKind;
using simt::remember;

cudaError_t allocate(const char* function, void** pointer, std::size_t bytes, MemoryKind kind) {
  if (bytes == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  simt::device_memory().set_capacity(simt::options().device.memory_bytes);
  const simt::DeviceAccess access;
  *pointer = simt::device_memory().allocate(bytes, kind);
  if (*pointer != nullptr) return cudaSuccess;
  return remember(cudaErrorMemoryAllocation, std::string(function) + ": " + std::to_string(bytes) +
                                                 " bytes are more than are left of the " +
                                                 std::string(simt::options().device.name) +
                                                 "'s memory or of this "
                                                 "machine's");
}

cudaError_t release(const char* function, void* pointer) {
  if (pointer == nullptr || simt::device_memory().free(pointer)) return cudaSuccess;
  return remember(cudaErrorInvalidValue,
                  std::string(function) + ": nothing that is still allocated begins at this address");
}

constexpr std::size_t pitch_unit = 512;

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate("cudaMalloc", pointer, bytes, MemoryKind::device);
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = (width + pitch_unit - 1) / pitch_unit * pitch_unit;
  return allocate("cudaMallocPitch", pointer, *pitch * height, MemoryKind::device);
}

cudaError_t cudaFree(void* pointer) { return release("cudaFree", pointer); }

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return allocate("cudaMallocAsync", pointer, bytes, MemoryKind::device);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return release("cudaFreeAsync", pointer); }

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int) {
  simt::require(simt::options().device, simt::Feature::managed_memory);
  return allocate("cudaMallocManaged", pointer, bytes, MemoryKind::managed);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate("cudaMallocHost", pointer, bytes, MemoryKind::pinned);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int) {
  return allocate("cudaHostAlloc", pointer, bytes, MemoryKind::pinned);
}
cudaError_t cudaFreeHost(void* pointer) { return release("cudaFreeHost", pointer); }

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
  if (simt::device_memory().register_host(pointer, bytes)) return cudaSuccess;
  return remember(cudaErrorHostMemoryAlreadyRegistered,
                  "cudaHostRegister: this address is registered already");
}
cudaError_t cudaHostUnregister(void* pointer) {
  if (simt::device_memory().unregister_host(pointer)) return cudaSuccess;
  return remember(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister: this address is not registered");
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  const simt::Memory& memory = simt::device_memory();
  const simt::Allocation* const found =
      memory.contains(address) ? memory.find(address) : memory.find_registered(address);
  void* const same = const_cast<void*>(pointer);
  *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, same};
  if (found == nullptr || found->freed) return cudaSuccess;
  const bool on_device = found->kind == MemoryKind::device || found->kind == MemoryKind::array;
  *attributes = {on_device                            ? cudaMemoryTypeDevice
                 : found->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                      : cudaMemoryTypeHost,
                 0, same, on_device ? nullptr : same};
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
