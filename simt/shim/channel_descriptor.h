// cudaCreateChannelDesc<T>() for the types that texels can have, and the functions of texture references.
#pragma once

#include <type_traits>

#include "cuda_runtime_api.h"

namespace simt {
template <class Channel>
constexpr cudaChannelFormatDesc channels(int count) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Channel));
  constexpr cudaChannelFormatKind kind = std::is_floating_point_v<Channel> ? cudaChannelFormatKindFloat
                                         : std::is_signed_v<Channel>       ? cudaChannelFormatKindSigned
                                                                           : cudaChannelFormatKindUnsigned;
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}
}  // namespace simt

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  if constexpr (std::is_arithmetic_v<T>)
    return simt::channels<T>(1);
  else
    return simt::channels<decltype(T::x)>(static_cast<int>(sizeof(T) / sizeof(T::x)));
}

template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture(std::size_t* offset, texture<T, Dimensions, Mode>& reference, const void* pointer,
                            const cudaChannelFormatDesc& format, std::size_t bytes = 0xffffffff) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<void*>(pointer), format, bytes};
  if (offset != nullptr) *offset = 0;
  return simt::bind_texture(reference, Mode, resource);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture(std::size_t* offset, texture<T, Dimensions, Mode>& reference, const void* pointer,
                            std::size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, reference, pointer, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTextureToArray(texture<T, Dimensions, Mode>& reference, cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return simt::bind_texture(reference, Mode, resource);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTextureToArray(texture<T, Dimensions, Mode>& reference, cudaArray_t array,
                                   const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(reference, array);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaUnbindTexture(texture<T, Dimensions, Mode>& reference) {
  return simt::unbind_texture(reference);
}
