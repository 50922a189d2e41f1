// Products of doubles by tensor cores. A block computes a tile of C; its parts of A and B are copied to
// shared memory a few stages ahead. A warp computes its part of the tile by 16 x 8 x 4 products, of which
// every lane holds four entries. The operands of the next product are loaded while the current one is
// computed.
#include <algorithm>

#include "cuda/device/async_copy.cuh"
#include "cuda/device/block.cuh"
#include "cuda/product/product_launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/properties.hpp"

namespace foldline::cuda {

namespace {

/// Rows and columns of C per block and per warp.
template <int Rows, int Columns, int WarpRows, int WarpColumns, int Stages>
struct TileShape {
  static constexpr int rows = Rows, columns = Columns;
  static constexpr int warp_rows = WarpRows, warp_columns = WarpColumns;
  static constexpr int warps_across = Columns / WarpColumns;
  static constexpr int threads = 32 * (Rows / WarpRows) * warps_across;
  static constexpr int stages = Stages;
};
// Large tiles load least: 1/128 element of each factor per multiply-add. Small tiles occupy all
// multiprocessors where C has few entries.
using LargeTile = TileShape<128, 128, 64, 32, 4>;
using SmallTile = TileShape<64, 64, 32, 32, 3>;

constexpr int depth = 16;  // terms of a stage
// Padding of a line of a stage, in doubles. Lanes read 8 rows (or columns) of 4 terms; with this padding the
// 16 lanes that are served at a time access different banks.
constexpr int gap = 4;

struct Factor {
  const double* data;
  std::int64_t lines, stride;  // rows of A or columns of B; the stride of the other dimension is 1
};

struct TensorProduct {
  Factor a, b;
  std::int64_t terms;
  double* c;
  std::int64_t c_row_stride, c_column_stride;
  double alpha, beta;
  // Blocks with grid index z have the terms from z * part_terms on, and write to a partial result of their
  // own.
  std::int64_t part_terms, c_part_stride;
};

/// A stage of a factor: `depth` terms of `Lines` rows of A or columns of B. `Along`: the elements of a line
/// are contiguous in memory, else those of a term.
template <int Lines, bool Along>
struct Stage {
  static constexpr int pitch = (Along ? depth : Lines) + gap;
  static constexpr int size = (Along ? Lines : depth) * pitch;

  static __device__ __forceinline__ int offset(int line, int term) {
    return Along ? line * pitch + term : term * pitch + line;
  }
};

[[maybe_unused]] __device__ __forceinline__ int clamped(std::int64_t value, int most) {
  return value < 0 ? 0 : value < most ? static_cast<int>(value) : most;
}

/// Copies a factor to shared memory stage by stage; a thread copies the same column of every
/// `rows_per_pass`-th row.
template <int Lines, bool Along, int Threads, int Bytes>
class Copier {
 public:
  __device__ Copier(const Factor& factor, std::int64_t first_line, std::int64_t first_term,
                    std::int64_t terms)
      : lines_left_(clamped(factor.lines - first_line, Lines)),
        terms_left_(terms),
        row_(static_cast<int>(threadIdx.x) / across),
        column_(static_cast<int>(threadIdx.x) % across * elements_per_copy),
        step_(Along ? depth : depth * factor.stride),
        rows_step_(rows_per_pass * factor.stride),
        fallback_(factor.data),
        from_(factor.data + (Along ? (first_line + row_) * factor.stride + first_term + column_
                                   : (first_term + row_) * factor.stride + first_line + column_)) {}

  /// Issues the copies of the next stage; what lies outside the factor becomes zero.
  __device__ __forceinline__ void copy(double* stage) {
    const int terms = clamped(terms_left_, depth);
    const int rows = Along ? lines_left_ : terms;
    const int valid = 8 * clamped((Along ? terms : lines_left_) - column_, elements_per_copy);
    double* const to = stage + row_ * pitch + column_;
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      const int bytes = row_ + i * rows_per_pass < rows ? valid : 0;
      // Even a copy of zero bytes needs a valid address.
      copy_to_shared<Bytes>(to + i * rows_per_pass * pitch, bytes > 0 ? from_ + i * rows_step_ : fallback_,
                            bytes);
    }
    from_ += step_;
    terms_left_ -= depth;
  }

 private:
  static constexpr int pitch = Stage<Lines, Along>::pitch;
  static constexpr int elements_per_copy = Bytes / 8;
  static constexpr int across = (Along ? depth : Lines) / elements_per_copy;  // copies per row of a stage
  static constexpr int rows_per_pass = Threads / across;
  static constexpr int copies = (Along ? Lines : depth) / rows_per_pass;
  static_assert(Threads % across == 0 && copies * rows_per_pass == (Along ? Lines : depth));

  int lines_left_;
  std::int64_t terms_left_;
  int row_, column_;
  std::int64_t step_, rows_step_;
  const double *fallback_, *from_;
};

/// c += a b for 16 x 4 terms of A and 4 x 8 terms of B. Lane l holds term l % 4 of rows l / 4 and l / 4 + 8
/// of A and of column l / 4 of B; and columns 2 (l % 4) and 2 (l % 4) + 1 of both rows of C.
[[maybe_unused]] __device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[2],
                                                              double b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(b));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int row = 0; row < 2; ++row)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c[2 * row]), "+d"(c[2 * row + 1])
                 : "d"(a[row]), "d"(b));
#endif
}

template <class Shape, bool ARows, bool BColumns, int Bytes>
__global__ void __launch_bounds__(Shape::threads) tensor_kernel(const TensorProduct product) {
#if __CUDA_ARCH__ >= 800
  using StageOfA = Stage<Shape::rows, ARows>;
  using StageOfB = Stage<Shape::columns, BColumns>;
  constexpr int stage_size = StageOfA::size + StageOfB::size;
  constexpr int m_tiles = Shape::warp_rows / 16, n_tiles = Shape::warp_columns / 8;
  extern __shared__ __align__(16) double shared[];

  // Blocks that run at the same time compute a roughly square region of C, so that they share more of what
  // they load through the L2 cache.
  constexpr unsigned band = 8;
  const unsigned tiles_down = gridDim.y, tiles_across = gridDim.x;
  const unsigned index = blockIdx.y * tiles_across + blockIdx.x;
  const unsigned first_of_band = index / (band * tiles_across) * band;
  const unsigned rows_of_band = min(band, tiles_down - first_of_band);
  const unsigned within = index - first_of_band * tiles_across;
  const std::int64_t first_row = std::int64_t{first_of_band + within % rows_of_band} * Shape::rows;
  const std::int64_t first_column = std::int64_t{within / rows_of_band} * Shape::columns;

  const std::int64_t first_term = blockIdx.z * product.part_terms;
  const std::int64_t terms = min(product.part_terms, product.terms - first_term);
  Copier<Shape::rows, ARows, Shape::threads, Bytes> of_a(product.a, first_row, first_term, terms);
  Copier<Shape::columns, BColumns, Shape::threads, Bytes> of_b(product.b, first_column, first_term, terms);
  const int steps = static_cast<int>((terms + depth - 1) / depth);
  int copied = 0, copy_index = 0;
  const auto copy_next = [&] {
    if (copied++ < steps) {
      double* const stage = shared + copy_index * stage_size;
      of_a.copy(stage);
      of_b.copy(stage + StageOfA::size);
      copy_index = copy_index + 1 == Shape::stages ? 0 : copy_index + 1;
    }
    commit_group();
  };

  const int row = warp() / Shape::warps_across * Shape::warp_rows + lane() / 4;
  const int column = warp() % Shape::warps_across * Shape::warp_columns;
  struct Terms {  // four terms of each line of the warp
    double a[m_tiles][2], b[n_tiles];
  };
  const auto read = [&](Terms& of, const double* stage, int first) {
    const int term = first + lane() % 4;
#pragma unroll
    for (int m = 0; m < m_tiles; ++m)
#pragma unroll
      for (int i = 0; i < 2; ++i) of.a[m][i] = stage[StageOfA::offset(row + 16 * m + 8 * i, term)];
#pragma unroll
    for (int n = 0; n < n_tiles; ++n)
      of.b[n] = stage[StageOfA::size + StageOfB::offset(column + 8 * n + lane() / 4, term)];
  };

  double c[m_tiles][n_tiles][4] = {};
  Terms now[2];
  for (int i = 0; i < Shape::stages - 1; ++i) copy_next();
  wait_for_groups<Shape::stages - 2>();
  __syncthreads();
  read(now[0], shared, 0);
  int stage_index = 0;
  for (int step = 0; step < steps; ++step) {
    const double* const stage = shared + stage_index * stage_size;
    stage_index = stage_index + 1 == Shape::stages ? 0 : stage_index + 1;
    copy_next();
#pragma unroll
    for (int k = 0; k < depth; k += 4) {
      if (k + 4 < depth) {
        read(now[k / 4 % 2 ^ 1], stage, k + 4);
      } else {
        // The next stage has arrived, and the stage to be overwritten has been read by all. (After the last
        // stage, old data are loaded and not used.)
        wait_for_groups<Shape::stages - 2>();
        __syncthreads();
        read(now[0], shared + stage_index * stage_size, 0);
      }
#pragma unroll
      for (int m = 0; m < m_tiles; ++m)
#pragma unroll
        for (int n = 0; n < n_tiles; ++n) multiply_add(c[m][n], now[k / 4 % 2].a[m], now[k / 4 % 2].b[n]);
    }
  }

#pragma unroll
  for (int m = 0; m < m_tiles; ++m)
#pragma unroll
    for (int n = 0; n < n_tiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::int64_t at_row = first_row + row + 16 * m + i / 2 * 8;
        const std::int64_t at_column = first_column + column + 8 * n + lane() % 4 * 2 + i % 2;
        if (at_row >= product.a.lines || at_column >= product.b.lines) continue;
        double* const entry = product.c + blockIdx.z * product.c_part_stride + at_row * product.c_row_stride +
                              at_column * product.c_column_stride;
        const double value = product.alpha * c[m][n][i];
        *entry = product.beta == 0 ? value : fma(product.beta, *entry, value);
      }
#endif
}

/// C = alpha times the sum of the parts, plus beta C; the parts in `sums` are row-major.
__global__ void __launch_bounds__(256) add_parts(const TensorProduct product, const double* sums, int parts) {
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= product.b.lines) return;
  for (std::int64_t row = blockIdx.y; row < product.a.lines; row += gridDim.y) {
    const double* const part = sums + row * product.b.lines + column;
    double sum = 0;
    for (int i = 0; i < parts; ++i) sum += part[i * product.a.lines * product.b.lines];
    double* const entry = product.c + row * product.c_row_stride + column * product.c_column_stride;
    const double value = product.alpha * sum;
    *entry = product.beta == 0 ? value : fma(product.beta, *entry, value);
  }
}

template <class Shape, bool ARows, bool BColumns>
constexpr int shared_bytes = int{sizeof(double)} * Shape::stages *
                             (Stage<Shape::rows, ARows>::size + Stage<Shape::columns, BColumns>::size);

template <class Shape, bool ARows, bool BColumns, int Bytes>
void launch(const TensorProduct& product, cudaStream_t stream) {
  static_assert(Shape::warp_rows % 16 == 0 && Shape::warp_columns % 8 == 0);
  constexpr int shared = shared_bytes<Shape, ARows, BColumns>;
  const auto kernel = tensor_kernel<Shape, ARows, BColumns, Bytes>;
  set_max_dynamic_shared_memory(reinterpret_cast<const void*>(kernel), shared);
  // A grid has at most 65535 rows of blocks; more rows of C take further launches.
  constexpr std::int64_t max_rows = std::int64_t{65535} * Shape::rows;
  for (std::int64_t first = 0; first < product.a.lines; first += max_rows) {
    TensorProduct part = product;
    part.a.data += first * (ARows ? product.a.stride : 1);
    part.a.lines = std::min(max_rows, product.a.lines - first);
    part.c += first * product.c_row_stride;
    const dim3 grid(static_cast<unsigned>((part.b.lines - 1) / Shape::columns + 1),
                    static_cast<unsigned>((part.a.lines - 1) / Shape::rows + 1),
                    static_cast<unsigned>(std::max<std::int64_t>(part.terms - 1, 0) / part.part_terms + 1));
    kernel<<<grid, Shape::threads, shared, stream>>>(part);
    check(cudaGetLastError(), "a matrix product");
  }
}

template <class Shape, bool ARows, bool BColumns>
void launch(const TensorProduct& product, cudaStream_t stream) {
  const auto is_even = [](const Factor& factor) {
    return reinterpret_cast<std::uintptr_t>(factor.data) % 16 == 0 && factor.stride % 2 == 0;
  };
  if (is_even(product.a) && is_even(product.b))
    launch<Shape, ARows, BColumns, 16>(product, stream);
  else
    launch<Shape, ARows, BColumns, 8>(product, stream);
}

template <class Shape>
void launch(const TensorProduct& product, bool a_rows, bool b_columns, cudaStream_t stream) {
  if (a_rows && b_columns) return launch<Shape, true, true>(product, stream);
  if (a_rows) return launch<Shape, true, false>(product, stream);
  if (b_columns) return launch<Shape, false, true>(product, stream);
  launch<Shape, false, false>(product, stream);
}

/// True if the elements of a row, or those of a column, are contiguous and lines do not overlap.
bool has_unit_stride(const MatrixOperand& matrix) {
  return (matrix.column_stride == 1 && matrix.row_stride >= matrix.columns) ||
         (matrix.row_stride == 1 && matrix.column_stride >= matrix.rows);
}

/// A tile shape and number of parts, with an estimate of the time in seconds on an H200.
struct TileChoice {
  bool large;
  int parts;
  double seconds;
};

template <class Shape>
TileChoice best_choice(const TensorProduct& product, std::int64_t multiprocessors) {
  constexpr bool large = Shape::rows == LargeTile::rows;
  // Multiply-adds per second of a multiprocessor; the fraction that one, two and more small tiles at a time
  // reach.
  constexpr double rate = 2.1e11, of_small[] = {0.6, 0.8, 0.88};
  constexpr double bandwidth = 3e12, launch = 4e-6;
  constexpr std::int64_t shortest_part = 256, max_parts = 8;
  const std::int64_t rows = product.a.lines, columns = product.b.lines;
  const std::int64_t tiles = ((rows - 1) / Shape::rows + 1) * ((columns - 1) / Shape::columns + 1);
  TileChoice best = {large, 0, 0};
  for (int parts = 1; parts <= max_parts; ++parts) {
    const std::int64_t terms = (product.terms - 1) / parts + 1;
    if (parts > 1 && terms < shortest_part) break;
    const std::int64_t at_most = (tiles * parts - 1) / multiprocessors + 1;  // tiles per multiprocessor
    const double reached = large ? 1 : of_small[std::min<std::int64_t>(at_most, 3) - 1];
    double seconds = static_cast<double>(at_most * Shape::rows * Shape::columns) *
                     static_cast<double>(terms) / (reached * rate);
    if (parts > 1)
      seconds +=
          launch + 8.0 * (parts + 1) * static_cast<double>(rows) * static_cast<double>(columns) / bandwidth;
    if (best.parts == 0 || seconds < best.seconds) best = {large, parts, seconds};
  }
  return best;
}

}  // namespace

bool suits_tensor_cores(const MatrixProduct& product, int device) {
  if (product.a.type != ElementType::float64) return false;
  for (const MatrixOperand* const matrix : {&product.a, &product.b}) {
    if (!has_unit_stride(*matrix)) return false;
    if (reinterpret_cast<std::uintptr_t>(matrix->data) % sizeof(double) != 0) return false;
  }
  if (reinterpret_cast<std::uintptr_t>(product.c.data) % sizeof(double) != 0) return false;
  // The kernel has no body in code for older architectures, whatever the device is.
  const DeviceGuard guard(device);
  cudaFuncAttributes code = {};
  check(cudaFuncGetAttributes(&code, tensor_kernel<SmallTile, true, true, 16>),
        "asking for a kernel's properties");
  return code.ptxVersion >= 80;
}

void product_by_tensor_cores(const MatrixProduct& product, Resources& resources, cudaStream_t stream) {
  const MatrixOperand &a = product.a, &b = product.b;
  const bool a_rows = a.column_stride == 1 && a.row_stride >= a.columns;
  const bool b_columns = b.row_stride == 1 && b.column_stride >= b.rows;
  TensorProduct task = {};
  task.a = {reinterpret_cast<const double*>(a.data), a.rows, a_rows ? a.row_stride : a.column_stride};
  task.b = {reinterpret_cast<const double*>(b.data), b.columns, b_columns ? b.column_stride : b.row_stride};
  task.terms = a.columns;
  task.c = reinterpret_cast<double*>(product.entry(0, 0));
  task.c_row_stride = product.c.row_stride;
  task.c_column_stride = product.c.column_stride;
  task.alpha = product.alpha;
  task.beta = product.beta;
  const std::int64_t multiprocessors = multiprocessors_of(resources.device);
  TileChoice choice = best_choice<SmallTile>(task, multiprocessors);
  if (max_shared_memory_per_block() >= shared_bytes<LargeTile, true, true>)
    if (const TileChoice other = best_choice<LargeTile>(task, multiprocessors);
        other.seconds < choice.seconds)
      choice = other;
  TensorProduct parts = task;
  parts.part_terms = std::max<std::int64_t>(1, task.terms);  // (with no terms, one layer of blocks, too)
  if (choice.parts > 1) {
    // Parts start where 16-byte copies may start.
    parts.part_terms = ((task.terms - 1) / choice.parts / depth + 1) * depth;
    const std::int64_t entries = task.a.lines * task.b.lines;
    const std::int64_t count = (task.terms - 1) / parts.part_terms + 1;
    resources.make_product_memory(sizeof(double) * static_cast<std::size_t>(count * entries));
    parts.c = reinterpret_cast<double*>(resources.product_memory);
    parts.c_row_stride = task.b.lines;
    parts.c_column_stride = 1;
    parts.c_part_stride = entries;
    parts.alpha = 1;
    parts.beta = 0;
    choice.parts = static_cast<int>(count);
  }
  if (choice.large)
    launch<LargeTile>(parts, a_rows, b_columns, stream);
  else
    launch<SmallTile>(parts, a_rows, b_columns, stream);
  if (choice.parts == 1) return;
  constexpr int threads = 256;
  add_parts<<<dim3(static_cast<unsigned>((task.b.lines - 1) / threads + 1),
                   static_cast<unsigned>(std::min<std::int64_t>(task.a.lines, 65535))),
              threads, 0, stream>>>(task, parts.c, choice.parts);
  check(cudaGetLastError(), "a matrix product");
}

}  // namespace foldline::cuda
