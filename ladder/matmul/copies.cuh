// Asynchronous copies from global to shared memory that bypass registers: cp.async, by CUDA's names for it.
// On GPUs before compute capability 8.0 they are ordinary copies.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "matmul/bench.hpp"

namespace foldline::ladder::matmul {

/// Elements of 16 bytes, the largest copy.
template <class T>
constexpr int elements_of_16_bytes = 16 / sizeof(T);

/// True if the rows of both matrices start at multiples of 16 bytes, as such copies require.
template <class T>
bool rows_are_aligned(const Product<T>& p) {
  return p.inner % elements_of_16_bytes<T> == 0 && p.columns % elements_of_16_bytes<T> == 0;
}

/// Starts to copy Height x Width elements of a matrix of rows x columns, from (row, column) on, to `part`,
/// whose rows are `Stride` apart. Elements outside the matrix become 0. A copy has `Elements` elements, which
/// must divide `columns`. All threads of the block must call it.
template <int Height, int Width, int Stride, int Elements, int Threads, class T>
__device__ void begin_copy(T* part, const T* matrix, int rows, int columns, int row, int column) {
  static_assert(Width % Elements == 0 && Height * Width / Elements % Threads == 0);
#pragma unroll
  for (int k = 0; k < Height * Width / Elements / Threads; ++k) {
    const int copy = k * Threads + threadIdx.x;
    const int y = copy / (Width / Elements), x = copy % (Width / Elements) * Elements;
    T* const to = part + y * Stride + x;
    if (row + y < rows && column + x < columns)
      __pipeline_memcpy_async(to, matrix + std::int64_t{row + y} * columns + (column + x),
                              Elements * sizeof(T));
    else
      for (int e = 0; e < Elements; ++e) to[e] = 0;
  }
}

}  // namespace foldline::ladder::matmul
