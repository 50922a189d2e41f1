// Texture objects of one dimension, over a CUDA array or over linear memory, that give the elements as they
// are, unless asked to interpolate.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace foldline::ladder {

/// Over a new CUDA array with a copy of n elements: ints, floats or doubles. Throws NotHere if there may be
/// no array so long. Never freed: a rung has a process of its own, and needs it until that ends. Of floats
/// cudaFilterModeLinear gives what lies between neighbours, too.
template <class T>
cudaTextureObject_t texture_of_array(const T* elements, std::int64_t n,
                                     cudaTextureFilterMode filter = cudaFilterModePoint);

/// Over the elements where they are.
template <class T>
cudaTextureObject_t texture_of_linear_memory(const T* elements, std::int64_t n);

#ifdef __CUDACC__

/// What a texture unit gives for an element: it knows no doubles.
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

/// Element i. In an array, elements lie between the whole coordinates.
template <class T, bool InArray>
__device__ T fetch(cudaTextureObject_t texture, int i) {
  if constexpr (InArray)
    return as_element(tex1D<typename Texel<T>::type>(texture, i + 0.5f));
  else
    return as_element(tex1Dfetch<typename Texel<T>::type>(texture, i));
}

#endif

}  // namespace foldline::ladder
