// Copies from global to shared memory that go past the registers and are not waited for at once: cp.async,
// by CUDA's own names for it. GPUs before compute capability 8.0 make ordinary copies of them.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "matmul/bench.hpp"

namespace foldline::ladder::matmul {

/// Elements of 16 bytes, the most that one copy takes.
template <class T>
constexpr int elements_of_16_bytes = 16 / sizeof(T);

/// Whether rows of both matrices begin at multiples of 16 bytes, so that such copies may be made.
template <class T>
bool rows_are_aligned(const Product<T>& p) {
  return p.inner % elements_of_16_bytes<T> == 0 && p.columns % elements_of_16_bytes<T> == 0;
}

/// Begins to copy the part of a matrix of rows x columns that starts at (row, column) to `part`, Height x
/// Width elements with rows `Stride` apart; what lies beyond the ends of the matrix is 0. A copy is of so
/// many `Elements`, which divide `columns`. All threads of the block must call it.
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
