// Products of floats and doubles of any strides by ordinary multiply-adds: a block computes 128 x 128 entries
// (doubles: 64 x 64), a thread 8 x 8 (4 x 4) of them. For devices whose tensor cores do not support doubles,
// and wherever cuBLAS is missing.
#include <algorithm>

#include "cuda/device/unaligned_access.cuh"
#include "cuda/product/product_threads.hpp"
#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

namespace {

/// A block's tile, and a thread's patch of it: rows and columns in groups that one instruction loads from
/// shared memory.
template <class T>
struct Tile {
  static constexpr int patch = sizeof(T) == 4 ? 8 : 4;  // entries per side of a thread's patch
  static constexpr int group = 16 / sizeof(T);          // contiguous entries
  static constexpr int across = 16;                     // threads per row of the block
  static constexpr int threads = across * across;
  static constexpr int side = across * patch;
  static constexpr int depth = 16;  // terms in shared memory
  static constexpr int pitch = side + group;
  static constexpr int elements = side * depth / threads;  // elements of a factor that a thread copies

  /// The row or column in the tile of entry i of a patch.
  static __device__ __forceinline__ int index(int i, int thread) {
    return (i / group * across + thread) * group + i % group;
  }
};

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

/// Copies a thread's part of a factor to shared memory. Lines are A's rows or B's columns.
template <class T>
class Part {
 public:
  using Shape = Tile<T>;

  /// Neighbouring threads load contiguous elements, whichever dimension is contiguous.
  __device__ Part(const Operand<T>& lines, std::int64_t first_line)
      : lines_(lines), along_(lines.column_bytes <= lines.row_bytes), first_line_(first_line) {}

  __device__ __forceinline__ void read(std::int64_t first_term) {
#pragma unroll
    for (int i = 0; i < Shape::elements; ++i) {
      const std::int64_t line = first_line_ + line_of(i), term = first_term + term_of(i);
      element_[i] = line < lines_.rows && term < lines_.columns ? lines_.at(line, term) : T{0};
    }
  }
  __device__ __forceinline__ void write(T (&to)[Shape::depth][Shape::pitch]) const {
#pragma unroll
    for (int i = 0; i < Shape::elements; ++i) to[term_of(i)][line_of(i)] = element_[i];
  }

 private:
  __device__ __forceinline__ int line_of(int i) const {
    const int element = i * Shape::threads + static_cast<int>(threadIdx.x);
    return along_ ? element / Shape::depth : element % Shape::side;
  }
  __device__ __forceinline__ int term_of(int i) const {
    const int element = i * Shape::threads + static_cast<int>(threadIdx.x);
    return along_ ? element % Shape::depth : element / Shape::side;
  }

  Operand<T> lines_;
  bool along_;
  std::int64_t first_line_;
  T element_[Shape::elements];
};

/// Loads the entries of a line that a thread multiplies.
template <class T>
__device__ __forceinline__ void read_patch(T (&to)[Tile<T>::patch], const T* line, int thread) {
  using Shape = Tile<T>;
  struct alignas(16) Group {
    T element[Shape::group];
  };
#pragma unroll
  for (int i = 0; i < Shape::patch; i += Shape::group) {
    const Group group = *reinterpret_cast<const Group*>(line + Shape::index(i, thread));
#pragma unroll
    for (int k = 0; k < Shape::group; ++k) to[i + k] = group.element[k];
  }
}

template <class T>
__global__ void __launch_bounds__(Tile<T>::threads)
    threads_kernel(Operand<T> a, Operand<T> columns_of_b, Operand<T> c, T alpha, T beta) {
  using Shape = Tile<T>;
  __shared__ __align__(16) T a_part[2][Shape::depth][Shape::pitch], b_part[2][Shape::depth][Shape::pitch];
  const int x = static_cast<int>(threadIdx.x) % Shape::across,
            y = static_cast<int>(threadIdx.x) / Shape::across;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * Shape::side;
  const std::int64_t first_column = std::int64_t{blockIdx.x} * Shape::side;
  Part<T> of_a(a, first_row), of_b(columns_of_b, first_column);
  of_a.read(0);
  of_b.read(0);
  T sum[Shape::patch][Shape::patch] = {};
  int stage = 0;
  for (std::int64_t first = 0; first < a.columns; first += Shape::depth, stage ^= 1) {
    of_a.write(a_part[stage]);
    of_b.write(b_part[stage]);
    __syncthreads();  // one per stage: the buffer that is written next is not the one that others still read
    of_a.read(first + Shape::depth);
    of_b.read(first + Shape::depth);
#pragma unroll
    for (int k = 0; k < Shape::depth; ++k) {
      T rows[Shape::patch], columns[Shape::patch];
      read_patch(rows, a_part[stage][k], y);
      read_patch(columns, b_part[stage][k], x);
#pragma unroll
      for (int i = 0; i < Shape::patch; ++i)
#pragma unroll
        for (int j = 0; j < Shape::patch; ++j) sum[i][j] = multiply_add(rows[i], columns[j], sum[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < Shape::patch; ++i)
#pragma unroll
    for (int j = 0; j < Shape::patch; ++j) {
      const std::int64_t row = first_row + Shape::index(i, y), column = first_column + Shape::index(j, x);
      if (row >= c.rows || column >= c.columns) continue;
      auto* const entry = const_cast<std::byte*>(  // the matrix is writable: it is C
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
  using Shape = Tile<T>;
  constexpr std::int64_t max_rows = std::int64_t{65535} * Shape::side;  // limit of a grid
  for (std::int64_t first = 0; first < product.c.rows; first += max_rows) {
    Operand<T> a = operand(product.a), c = operand(product.c);
    a.data += first * a.row_bytes;
    c.data += first * c.row_bytes;
    a.rows = c.rows = std::min(max_rows, product.c.rows - first);
    const dim3 grid(static_cast<unsigned>((c.columns - 1) / Shape::side + 1),
                    static_cast<unsigned>((c.rows - 1) / Shape::side + 1));
    threads_kernel<T><<<grid, Shape::threads, 0, stream>>>(
        a, operand(product.b.transposed()), c, static_cast<T>(product.alpha), static_cast<T>(product.beta));
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
