// One-dimensional texture objects over a CUDA array or linear memory that return elements unchanged, unless
// asked to interpolate.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace foldline::ladder {

/// Over a new CUDA array with a copy of n elements: ints, floats or doubles. Throws Unsupported if an array
/// cannot be that long. Never freed, because a rung has a process of its own and needs it to the end. For
/// floats, cudaFilterModeLinear interpolates.
template <class T>
cudaTextureObject_t texture_of_array(const T* elements, std::int64_t n,
                                     cudaTextureFilterMode filter = cudaFilterModePoint);

/// Over the elements in place, which may be bytes, too. These cudaReadModeNormalizedFloat turns to floats.
template <class T>
cudaTextureObject_t texture_of_linear_memory(const T* elements, std::int64_t n,
                                             cudaTextureReadMode mode = cudaReadModeElementType);

#ifdef __CUDACC__

/// The type that a texture unit returns for an element: it does not support doubles.
template <class T>
struct Texel {
  using type = T;
};
template <>
struct Texel<double> {
  using type = int2;
};

__device__ inline int as_element(int texel) { return texel; }
__device__ inline float as_element(float texel) { return texel; }
__device__ inline double as_element(int2 texel) { return __hiloint2double(texel.y, texel.x); }

/// Element i. Array coordinates of elements are halfway between integers.
template <class T, bool InArray>
__device__ T fetch(cudaTextureObject_t texture, int i) {
  if constexpr (InArray)
    return as_element(tex1D<typename Texel<T>::type>(texture, i + 0.5f));
  else
    return as_element(tex1Dfetch<typename Texel<T>::type>(texture, i));
}

#endif

}  // namespace foldline::ladder
