// Products of floats and doubles of any strides by ordinary multiply-adds: a block makes 64 x 64 entries, a
// thread 4 x 4 of them. For devices whose tensor cores take no doubles, and wherever cuBLAS is not there.
#include <algorithm>

#include "cuda/any_address.cuh"
#include "cuda/check.hpp"
#include "cuda/product_launch.hpp"

namespace foldline::cuda {

namespace {

constexpr int side = 64;   // of a block's tile
constexpr int depth = 16;  // terms in shared memory
constexpr int patch = 4;   // side of a thread's entries, which are `spread` apart
constexpr int spread = side / patch;
constexpr int threads = spread * spread;

template <class T>
struct Operand {
  const std::byte* data;
  std::int64_t rows, columns, row_bytes, column_bytes;

  __device__ T at(std::int64_t row, std::int64_t column) const {
    return read_element<T>(data + row * row_bytes + column * column_bytes);
  }
};

template <class T>
__device__ __forceinline__ T multiply_add(T x, T y, T sum) {
  if constexpr (sizeof(T) == 8)
    return fma(x, y, sum);
  else
    return fmaf(x, y, sum);
}

template <class T>
__global__ void __launch_bounds__(threads)
    threads_kernel(Operand<T> a, Operand<T> b, Operand<T> c, T alpha, T beta) {
  __shared__ T a_part[depth][side + 1], b_part[depth][side + 1];
  const int x = static_cast<int>(threadIdx.x) % spread, y = static_cast<int>(threadIdx.x) / spread;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * side,
                     first_column = std::int64_t{blockIdx.x} * side;
  // Neighbouring threads read neighbouring elements, whichever way the matrix lies.
  const bool a_along = a.column_bytes <= a.row_bytes, b_along = b.row_bytes < b.column_bytes;
  T sum[patch][patch] = {};
  for (std::int64_t first = 0; first < a.columns; first += depth) {
    for (int i = static_cast<int>(threadIdx.x); i < side * depth; i += threads) {
      const int a_line = a_along ? i / depth : i % side, a_term = a_along ? i % depth : i / side;
      const std::int64_t row = first_row + a_line;
      a_part[a_term][a_line] = row < a.rows && first + a_term < a.columns ? a.at(row, first + a_term) : T{0};
      const int b_line = b_along ? i / depth : i % side, b_term = b_along ? i % depth : i / side;
      const std::int64_t column = first_column + b_line;
      b_part[b_term][b_line] =
          column < b.columns && first + b_term < b.rows ? b.at(first + b_term, column) : T{0};
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      T of_a[patch], of_b[patch];
#pragma unroll
      for (int i = 0; i < patch; ++i)
        of_a[i] = a_part[k][y + spread * i], of_b[i] = b_part[k][x + spread * i];
#pragma unroll
      for (int i = 0; i < patch; ++i)
#pragma unroll
        for (int j = 0; j < patch; ++j) sum[i][j] = multiply_add(of_a[i], of_b[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < patch; ++i)
#pragma unroll
    for (int j = 0; j < patch; ++j) {
      const std::int64_t row = first_row + y + spread * i, column = first_column + x + spread * j;
      if (row >= c.rows || column >= c.columns) continue;
      auto* const entry = const_cast<std::byte*>(  // was not const when it came
          c.data + row * c.row_bytes + column * c.column_bytes);
      const T value = alpha * sum[i][j];
      write_element(entry, beta == 0 ? value : multiply_add(beta, read_element<T>(entry), value));
    }
}

template <class T>
void launch(const MatrixProduct& product, cudaStream_t stream) {
  const auto operand = [](const MatrixOperand& matrix) {
    const std::int64_t size = sizeof(T);
    return Operand<T>{matrix.data, matrix.rows, matrix.columns, matrix.row_stride * size,
                      matrix.column_stride * size};
  };
  constexpr std::int64_t most_rows = std::int64_t{65535} * side;  // of a grid
  for (std::int64_t first = 0; first < product.c.rows; first += most_rows) {
    Operand<T> a = operand(product.a), c = operand(product.c);
    a.data += first * a.row_bytes;
    c.data += first * c.row_bytes;
    a.rows = c.rows = std::min(most_rows, product.c.rows - first);
    const dim3 grid(static_cast<unsigned>((c.columns - 1) / side + 1),
                    static_cast<unsigned>((c.rows - 1) / side + 1));
    threads_kernel<T><<<grid, threads, 0, stream>>>(a, operand(product.b), c, static_cast<T>(product.alpha),
                                                    static_cast<T>(product.beta));
    check(cudaGetLastError(), "a matrix product");
  }
}

}  // namespace

void product_by_threads(const MatrixProduct& product, cudaStream_t stream) {
  if (product.a.type == ElementType::float64)
    launch<double>(product, stream);
  else
    launch<float>(product, stream);
}

}  // namespace foldline::cuda
