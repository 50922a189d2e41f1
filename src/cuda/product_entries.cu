#include "cuda/product_entries.hpp"

#include <algorithm>

#include "arithmetic/slice_levels.hpp"
#include "cuda/any_address.cuh"
#include "cuda/block.cuh"
#include "cuda/block_limbs.cuh"
#include "cuda/check.hpp"
#include "cuda/result_words.cuh"
#include "product_entry.hpp"

namespace foldline::cuda {

namespace {

struct Elements {
  const std::byte* data;
  std::int64_t row_bytes, column_bytes;
  bool is_double;

  __device__ const std::byte* at(std::int64_t row, std::int64_t column) const {
    return data + row * row_bytes + column * column_bytes;
  }
  __device__ double load(std::int64_t row, std::int64_t column) const {
    const std::byte* const element = at(row, column);
    return is_double ? read_element<double>(element) : static_cast<double>(read_element<float>(element));
  }
};

struct EntryTask {
  Elements a, b, c;
  std::int64_t rows, columns, terms;
  double alpha, beta;
  FloatFormat format;

  __device__ bool is_plain() const { return alpha == 1 && beta == 0; }
  __device__ double before(std::int64_t row, std::int64_t column) const {
    return beta == 0 ? 0 : c.load(row, column);
  }
  __device__ void store(double value, std::int64_t row, std::int64_t column) const {
    auto* const to = const_cast<std::byte*>(c.at(row, column));  // was not const when it came
    if (c.is_double)
      write_element(to, value);
    else
      write_element(to, static_cast<std::uint32_t>(encoded(value, ElementType::float32)));
  }
};

template <class Sum>
__global__ void __launch_bounds__(256)
    round_kernel(const EntryTask task, const LineScale* a_scales, const LineScale* b_scales,
                 const Levels<Sum> sums, int levels, Int128 left_out, const EntryList left) {
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= task.columns) return;
  const LineScale of_b = b_scales[column];
  for (std::int64_t row = blockIdx.y; row < task.rows; row += gridDim.y) {
    const LineScale of_a = a_scales[row];
    PossibleEntry entry = {0, false};
    if (of_a.slices != not_finite && of_b.slices != not_finite) {
      const Sum* const sum = sums.data + row * sums.columns + column;
      const auto level = [&](int s) -> std::int64_t { return sum[s * sums.rows * sums.columns]; };
      Bounds bounds = bounds_of_levels<slice_bits, leading_levels>(level, levels,
                                                                   of_a.exponent + of_b.exponent, left_out);
      bool is_known = true;
      if (!task.is_plain()) {
        const double before = task.before(row, column);
        is_known = is_finite(before);
        if (is_known) bounds = scaled_and_added(bounds, task.alpha, task.beta, before);
      }
      if (is_known) entry = rounded(bounds, task.format);
    }
    if (entry.is_certain)
      task.store(entry.value, row, column);
    else
      left.entry[atomicAdd(left.count, 1u)] = static_cast<std::uint32_t>(row * task.columns + column);
  }
}

constexpr int sum_threads = 128;

/// A block adds up an entry's products in limbs that it shares; one thread rounds them.
__global__ void __launch_bounds__(sum_threads)
    sum_kernel(const EntryTask task, const std::uint32_t* list, std::int64_t count) {
  __shared__ Word word[word_count];
  __shared__ unsigned special[3];  // as in Specials
  __shared__ EntryNumbers numbers;
  const LimbSpill limbs = {word};
  for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const std::int64_t index = list == nullptr ? i : list[i];
    const std::int64_t row = index / task.columns, column = index % task.columns;
    for (int k = static_cast<int>(threadIdx.x); k < word_count; k += sum_threads) word[k] = 0;
    if (threadIdx.x < 3) special[threadIdx.x] = 0;
    __syncthreads();
    for (std::int64_t k = threadIdx.x; k < task.terms; k += sum_threads) {
      const double x = task.a.load(row, k), y = task.b.load(k, column);
      if (is_finite(x) && is_finite(y)) {
        if (x != 0 && y != 0) limbs.add_product(x, y);
      } else {
        const double product = x * y;
        atomicAdd(&special[product != product ? 0 : product > 0 ? 1 : 2], 1u);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      const WordSum sum = {{special[0], special[1], special[2]},
                           reinterpret_cast<const std::int64_t*>(word),
                           first_exponent,
                           word_count};
      task.store(rounded_entry(sum, task.alpha, task.beta, task.before(row, column), task.format, numbers),
                 row, column);
    }
    __syncthreads();
  }
}

Elements elements_of(const MatrixOperand& matrix) {
  const std::int64_t size = size_of(matrix.type);
  return {matrix.data, matrix.row_stride * size, matrix.column_stride * size,
          matrix.type == ElementType::float64};
}

EntryTask task_of(const MatrixProduct& tile) {
  return {elements_of(tile.a), elements_of(tile.b), elements_of(tile.c),
          tile.c.rows,         tile.c.columns,      tile.a.columns,
          tile.alpha,          tile.beta,           format_of(tile.c.type)};
}

template <class Sum>
void launch(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
            const Levels<Sum>& sums, int levels, Int128 left_out, const EntryList& left,
            cudaStream_t stream) {
  constexpr int threads = 256;
  const dim3 grid(static_cast<unsigned>((tile.c.columns - 1) / threads + 1),
                  static_cast<unsigned>(std::min<std::int64_t>(tile.c.rows, 65535)));
  round_kernel<Sum>
      <<<grid, threads, 0, stream>>>(task_of(tile), a_scales, b_scales, sums, levels, left_out, left);
  check(cudaGetLastError(), "a matrix product");
}

}  // namespace

void round_entries(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
                   const Levels<std::int32_t>& sums, int levels, Int128 left_out, const EntryList& left,
                   cudaStream_t stream) {
  launch(tile, a_scales, b_scales, sums, levels, left_out, left, stream);
}
void round_entries(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
                   const Levels<std::int64_t>& sums, int levels, Int128 left_out, const EntryList& left,
                   cudaStream_t stream) {
  launch(tile, a_scales, b_scales, sums, levels, left_out, left, stream);
}

void add_up_entries(const MatrixProduct& tile, const std::uint32_t* list, std::int64_t count,
                    cudaStream_t stream) {
  if (count == 0) return;
  constexpr std::int64_t most_blocks = std::int64_t{1} << 20;
  sum_kernel<<<static_cast<unsigned>(std::min(count, most_blocks)), sum_threads, 0, stream>>>(task_of(tile),
                                                                                              list, count);
  check(cudaGetLastError(), "a matrix product");
}

}  // namespace foldline::cuda
