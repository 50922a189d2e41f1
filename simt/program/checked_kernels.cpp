#include <simt/checked_kernels.hpp>

#include <cuda_runtime_api.h>

namespace simt {

unsigned long long texture_of(const std::vector<float>& elements) {
  const std::size_t bytes = elements.size() * sizeof(float);
  void* device = nullptr;
  cudaMalloc(&device, bytes);
  cudaMemcpy(device, elements.data(), bytes, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = device;
  resource.res.linear.desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  resource.res.linear.sizeInBytes = bytes;
  const cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}

}  // namespace simt
