#include "cuda/product/product_entries.hpp"

#include <algorithm>

#include "arithmetic/slice_levels.hpp"
#include "cuda/device/block.cuh"
#include "cuda/device/unaligned_access.cuh"
#include "cuda/exact/block_limbs.cuh"
#include "cuda/finish/result_words.cuh"
#include "cuda/runtime/check.hpp"
#include "results/product_entry.hpp"

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
    auto* const to = const_cast<std::byte*>(c.at(row, column));  // the matrix is writable: it is C
    if (c.is_double)
      write_element(to, value);
    else
      write_element(to, static_cast<std::uint32_t>(encoded(value, ElementType::float32)));
  }
};

// Levels that a thread loads before it uses one, to hide the latency of global memory.
constexpr int levels_per_load = 12;

template <class Sum>
__global__ void __launch_bounds__(256)
    round_kernel(const EntryTask task, const LineScale* a_scales, const LineScale* b_scales,
                 const Levels<Sum> sums, int levels, Int128 left_out, const EntryList left) {
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= task.columns) return;
  const LineScale of_b = b_scales[column];
  for (std::int64_t row = blockIdx.y; row < task.rows; row += gridDim.y) {
    const LineScale of_a = a_scales[row];
    RoundingAttempt entry = {0, false};
    if (of_a.slices != not_finite && of_b.slices != not_finite) {
      const Sum* const sum = sums.data + row * sums.columns + column;
      const auto level = [&](int s) -> std::int64_t { return sum[s * sums.rows * sums.columns]; };
      const int exponent = of_a.exponent + of_b.exponent;
      Bounds bounds;
      if (levels <= levels_per_load) {
        std::int64_t of[levels_per_load];
#pragma unroll
        for (int s = 0; s < levels_per_load; ++s) of[s] = s < levels ? level(s) : 0;
        bounds = bounds_of_levels<slice_bits, leading_levels>([&](int s) { return of[s]; }, levels_per_load,
                                                              exponent, left_out);
      } else {
        bounds = bounds_of_levels<slice_bits, leading_levels>(level, levels, exponent, left_out);
      }
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

/// A thread's own 32-bit digits for products of about the same size: 64-bit atomics on shared memory
/// serialise.
class NearWords {
 public:
  static constexpr int count = 7;

  /// Accepts products below 2^(32 (last + 1)); words are numbered as the block's limbs.
  __device__ explicit NearWords(int last) : first_(last + 1 - count) {}

  /// Adds +-magnitude * 2^exponent; false if it has bits outside the words.
  __device__ bool add(bool negative, Uint128 magnitude, int exponent) {
    const int offset = exponent - first_exponent;
    const int word = offset / 32 - first_, shift = offset % 32;
    if (word < 0 || word + digits > count) return false;
    const Uint128 low = magnitude << shift;  // the low 128 of 106 + 31 bits
    const auto high = shift == 0 ? 0u : static_cast<std::uint32_t>(magnitude >> (128 - shift));
    const std::uint32_t digit[digits] = {
        static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
        static_cast<std::uint32_t>(low >> 64), static_cast<std::uint32_t>(low >> 96), high};
#pragma unroll
    for (int i = 0; i < count; ++i) {
      std::int64_t mine = 0;
#pragma unroll
      for (int k = 0; k < digits; ++k) mine = i == word + k ? digit[k] : mine;
      word_[i] += negative ? -mine : mine;
    }
    return true;
  }

  /// Adds the words of the warp's threads to limbs.
  __device__ void add_to(Word* limbs) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::int64_t sum = warp_sum(word_[i]);
      if (lane() == 0 && sum != 0) atomicAdd(limbs + first_ + i, static_cast<Word>(sum));
    }
  }

 private:
  static constexpr int digits = 5;
  int first_;
  std::int64_t word_[count] = {};
};

/// Sums an entry's products with one block; one thread rounds the sum.
__global__ void __launch_bounds__(sum_threads)
    sum_kernel(const EntryTask task, const std::uint32_t* list, std::int64_t count) {
  __shared__ Word word[word_count];
  __shared__ unsigned special[3];  // as in Specials
  __shared__ unsigned scratches[2][sum_threads / 32];
  __shared__ EntryScratch numbers;
  for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const std::int64_t index = list == nullptr ? i : list[i];
    const std::int64_t row = index / task.columns, column = index % task.columns;
    for (int k = static_cast<int>(threadIdx.x); k < word_count; k += sum_threads) word[k] = 0;
    if (threadIdx.x < 3) special[threadIdx.x] = 0;
    // The words that the largest and the smallest of the first products reach.
    unsigned highest = 0, lowest = word_count;
    if (threadIdx.x < task.terms) {
      const Decomposed x = decompose(task.a.load(row, threadIdx.x));
      const Decomposed y = decompose(task.b.load(threadIdx.x, column));
      if (x.significand != 0 && y.significand != 0)
        highest = lowest = static_cast<unsigned>(x.exponent + y.exponent + 105 - first_exponent) / 32;
    }
    highest = block_max<sum_threads>(highest, scratches[0]);
    lowest = word_count - block_max<sum_threads>(word_count - lowest, scratches[1]);
    // If products are far apart, their additions to shared memory seldom conflict.
    const bool is_near = lowest + NearWords::count > highest;
    // One word of room for larger products. Limbs extend two words beyond the largest product.
    NearWords near(min(static_cast<int>(highest) + 1, word_count - 1));
    for (std::int64_t k = threadIdx.x; k < task.terms; k += sum_threads) {
      const double x = task.a.load(row, k), y = task.b.load(k, column);
      if (is_finite(x) && is_finite(y)) {
        const Decomposed first = decompose(x), second = decompose(y);
        const Uint128 product = static_cast<Uint128>(first.significand) * second.significand;
        const bool negative = first.negative != second.negative;
        const int exponent = first.exponent + second.exponent;
        if (product != 0 && !(is_near && near.add(negative, product, exponent)))
          add_to_limbs(word, negative, product, exponent);
      } else {
        const double product = x * y;
        atomicAdd(&special[product != product ? 0 : product > 0 ? 1 : 2], 1u);
      }
    }
    if (is_near) near.add_to(word);
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
  constexpr std::int64_t max_blocks = std::int64_t{1} << 20;
  sum_kernel<<<static_cast<unsigned>(std::min(count, max_blocks)), sum_threads, 0, stream>>>(task_of(tile),
                                                                                             list, count);
  check(cudaGetLastError(), "a matrix product");
}

}  // namespace foldline::cuda
