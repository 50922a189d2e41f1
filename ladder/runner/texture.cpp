#include "runner/texture.cuh"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "runner/errors.hpp"

namespace foldline::ladder {
namespace {

template <class T>
cudaChannelFormatDesc format() {
  if (std::is_same_v<T, unsigned char>)
    return cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  if (std::is_same_v<T, double>) return cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindSigned);
  return cudaCreateChannelDesc(
      32, 0, 0, 0, std::is_same_v<T, int> ? cudaChannelFormatKindSigned : cudaChannelFormatKindFloat);
}

cudaTextureObject_t create(const cudaResourceDesc& resource, cudaTextureFilterMode filter,
                           cudaTextureReadMode mode) {
  cudaTextureDesc description{};
  description.addressMode[0] = cudaAddressModeClamp;
  description.filterMode = filter;
  description.readMode = mode;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "creating a texture");
  return texture;
}

}  // namespace

template <class T>
cudaTextureObject_t texture_of_array(const T* elements, std::int64_t n, cudaTextureFilterMode filter) {
  int max_elements = 0;
  check(cudaDeviceGetAttribute(&max_elements, cudaDevAttrMaxTexture1DWidth, 0),
        "asking for the limits of textures");
  if (n > max_elements) unsupported("elements that a CUDA array of one dimension can have:", max_elements);
  const std::size_t size = static_cast<std::size_t>(n);
  const cudaChannelFormatDesc channels = format<T>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  check(cudaMallocArray(&resource.res.array.array, &channels, std::max<std::size_t>(size, 1)),
        "allocating a CUDA array");
  if (n != 0)
    check(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, elements, size * sizeof(T), size * sizeof(T), 1,
                              cudaMemcpyDeviceToDevice),
          "filling a CUDA array");
  return create(resource, filter, cudaReadModeElementType);
}

template <class T>
cudaTextureObject_t texture_of_linear_memory(const T* elements, std::int64_t n, cudaTextureReadMode mode) {
  const cudaChannelFormatDesc channels = format<T>();
  std::size_t max_elements = 0;
  check(cudaDeviceGetTexture1DLinearMaxWidth(&max_elements, &channels, 0),
        "asking for the limits of textures");
  if (static_cast<std::size_t>(n) > max_elements)
    unsupported("elements that a texture over linear memory can have:",
                static_cast<std::int64_t>(max_elements));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<T*>(elements);
  resource.res.linear.desc = channels;
  resource.res.linear.sizeInBytes = std::max<std::size_t>(static_cast<std::size_t>(n), 1) * sizeof(T);
  return create(resource, cudaFilterModePoint, mode);
}

template cudaTextureObject_t texture_of_array(const int*, std::int64_t, cudaTextureFilterMode);
template cudaTextureObject_t texture_of_array(const float*, std::int64_t, cudaTextureFilterMode);
template cudaTextureObject_t texture_of_array(const double*, std::int64_t, cudaTextureFilterMode);
template cudaTextureObject_t texture_of_linear_memory(const unsigned char*, std::int64_t,
                                                      cudaTextureReadMode);
template cudaTextureObject_t texture_of_linear_memory(const int*, std::int64_t, cudaTextureReadMode);
template cudaTextureObject_t texture_of_linear_memory(const float*, std::int64_t, cudaTextureReadMode);
template cudaTextureObject_t texture_of_linear_memory(const double*, std::int64_t, cudaTextureReadMode);

}  // namespace foldline::ladder
