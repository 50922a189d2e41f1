// Enumerates the GPUs.
#include "foldline/device.hpp"

#include "contract/backend.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/properties.hpp"

namespace foldline {

namespace {

constexpr int lowest_major = 7, lowest_minor = 5;

/// The number of devices. If it is 0, `reason` says why.
int count_devices(std::string& reason) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    reason = driver == 0 ? "there is no NVIDIA driver"
                         : "the NVIDIA driver is too old for this build: it supports CUDA " +
                               std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  } else if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
    reason = "there is no NVIDIA GPU";
  } else if (error != cudaSuccess) {
    reason = std::string("the CUDA runtime says: ") + cudaGetErrorString(error);
  }
  cudaGetLastError();
  return error == cudaSuccess ? count : 0;
}

}  // namespace

std::vector<GpuInfo> gpus() {
  std::string reason;
  std::vector<GpuInfo> result;
  const int count = count_devices(reason);
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    cuda::check(cudaGetDeviceProperties(&properties, i), "asking for a device's properties");
    result.push_back({Device::cuda(i), properties.name, properties.major, properties.minor,
                      properties.multiProcessorCount, static_cast<std::int64_t>(properties.totalGlobalMem)});
  }
  return result;
}

std::string why_no_gpu() {
  std::string reason;
  count_devices(reason);
  return reason;
}

namespace cuda {

void require_device(int index) {
  std::string reason;
  static const int count = count_devices(reason);  // the number of devices does not change
  const std::string name = name_of(Device::cuda(index));
  if (count == 0) throw InvalidArgument("there is no device " + name + ": " + why_no_gpu());
  if (index < 0 || index >= count)
    throw InvalidArgument("there is no device " + name + "; this machine has cuda:0" +
                          (count == 1 ? "" : " to cuda:" + std::to_string(count - 1)));
  const int major = property_of(index, cudaDevAttrComputeCapabilityMajor);
  const int minor = property_of(index, cudaDevAttrComputeCapabilityMinor);
  if (major < lowest_major || (major == lowest_major && minor < lowest_minor))
    throw InvalidArgument("the device " + name + " has compute capability " + std::to_string(major) + '.' +
                          std::to_string(minor) + "; foldline needs " + std::to_string(lowest_major) + '.' +
                          std::to_string(lowest_minor) + " or more");
}

}  // namespace cuda
}  // namespace foldline
