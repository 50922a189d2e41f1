// Each thread adds rows of a column in three doubles, by TwoSum; what they cannot take without rounding goes
// to the column's words at once. So nothing is lost, whatever the elements are.
#include "nccl/columns.hpp"

#include <algorithm>

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/exact/block_limbs.cuh"
#include "cuda/finish/result_words.cuh"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "nccl/element_sum.hpp"
#include "nccl/peers.cuh"

namespace foldline::nccl {

namespace {

constexpr int adding_threads = 256, rounding_threads = 128, rounding_warps = rounding_threads / 32;
static_assert(rounding_threads > most_peers * message_words);
/// Digits below 2^32: a word has room for so many, and for those of all blocks.
constexpr std::int64_t most_rows_of_launch = std::int64_t{1} << 28;

/// The words of a column as a destination of doubles.
__device__ cuda::LimbSpill words_of(std::int64_t* word) {
  constexpr int offset = (SumLimbs::first_exponent - cuda::first_exponent) / 32;
  return {reinterpret_cast<cuda::Word*>(word) - offset};
}
__device__ void count_in(std::int64_t* word, std::int64_t count) {
  atomicAdd(reinterpret_cast<cuda::Word*>(word), static_cast<cuda::Word>(count));
}

/// A sum of which the last part is lost to the words.
struct SumOfThree {
  double part[3] = {0, 0, 0};
  __device__ void add(double x, std::int64_t* word) {
#pragma unroll
    for (double& p : part) {
      const DoublePair next = two_sum(p, x);
      p = next.sum;
      x = next.error;
    }
    if (x != 0) words_of(word).add(x);
  }
};

/// What the sum of 2^40 others could not overflow with.
__device__ bool is_large(double x) { return !(fabs(x) < 0x1p960); }

__device__ __noinline__ void add_large(double x, std::int64_t* word) {
  if (is_finite(x))
    words_of(word).add(x);
  else
    count_in(word + (x != x  ? cuda::nan_row
                     : x > 0 ? cuda::positive_infinity_row
                             : cuda::negative_infinity_row),
             1);
}

/// A block has `across` columns, a power of two, and rows of as many threads.
template <class T>
__global__ void __launch_bounds__(adding_threads)
    add_columns(const __grid_constant__ ColumnsTask task, std::int64_t first_row, std::int64_t end_row,
                int across) {
  __shared__ double part[3][adding_threads];
  __shared__ int other[adding_threads];
  const auto thread = static_cast<int>(threadIdx.x);
  const int down = adding_threads / across, group = thread / across;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * across + thread % across;
  const bool has_column = column < task.columns;
  std::int64_t* const word = task.words + (has_column ? column : 0) * column_words;
  SumOfThree sum;
  int any_other = 0;
  if (has_column) {
    const T* const data = reinterpret_cast<const T*>(task.data) + column * task.column_step;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.y) * down;
    constexpr int ahead = 4;
    for (std::int64_t i = first_row + static_cast<std::int64_t>(blockIdx.y) * down + group; i < end_row;
         i += ahead * step) {
      T x[ahead];
#pragma unroll
      for (int a = 0; a < ahead; ++a)
        if (i + a * step < end_row) x[a] = data[(i + a * step) * task.row_step];
#pragma unroll
      for (int a = 0; a < ahead; ++a) {
        if (i + a * step >= end_row) break;
        const double wide = widened(x[a]);
        any_other |= bits_of(wide) != sign_bit ? 1 : 0;
        if (is_large(wide))
          add_large(wide, word);
        else
          sum.add(wide, word);
      }
    }
  }
  other[thread] = any_other;
  for (int p = 0; p < 3; ++p) part[p][thread] = sum.part[p];
  for (int half = down / 2; half > 0; half /= 2) {
    __syncthreads();
    if (group >= half) continue;
    for (int p = 0; p < 3; ++p) sum.add(part[p][thread + half * across], word);
    for (int p = 0; p < 3; ++p) part[p][thread] = sum.part[p];
    other[thread] |= other[thread + half * across];
  }
  if (group != 0 || !has_column) return;
  for (const double p : sum.part)
    if (p != 0) words_of(word).add(p);
  if (other[thread] != 0) count_in(word + cuda::other_than_negative_zero_row, 1);
}

/// Passes the carries up, so that words of many ranks can be added.
__global__ void __launch_bounds__(adding_threads)
    carry_up(const __grid_constant__ ColumnsTask task, std::int64_t rows) {
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * adding_threads + threadIdx.x;
  if (column >= task.columns) return;
  std::int64_t* const word = task.words + column * column_words;
  std::int64_t above = 0;
  for (int i = 0; i < cuda::limb_rows; ++i) {
    const std::int64_t sum = word[i] + above;
    above = sum >> 32;
    word[i] = i + 1 < cuda::limb_rows ? sum & 0xffffffff : sum;
  }
  word[rows_word] += rows;
}

/// What a warp needs for a column.
struct OfWarp {
  std::int64_t word[column_words];
  Natural<80> number;
};

/// The bits of a column's sum, of which word(i) is a word; all threads of a warp.
template <class WordOf>
__device__ std::uint64_t rounded_column(ElementType type, const FloatFormat& format, OfWarp& of_warp,
                                        const WordOf& word_of) {
  const auto lane = static_cast<int>(threadIdx.x) % 32;
  __syncwarp();
  for (int i = lane; i < column_words; i += 32) of_warp.word[i] = word_of(i);
  __syncwarp();
  std::uint64_t bits = 0;
  if (lane == 0) {
    const std::int64_t* const word = of_warp.word;
    const cuda::WordSum sum{
        {word[cuda::nan_row], word[cuda::positive_infinity_row], word[cuda::negative_infinity_row]},
        word,
        SumLimbs::first_exponent,
        cuda::limb_rows};
    const double zero = zero_sum(word[rows_word], word[cuda::other_than_negative_zero_row] == 0);
    bits = cuda::encoded(rounded_sum(sum, zero, format, of_warp.number), type);
  }
  return __shfl_sync(0xffffffffu, bits, 0);
}

__global__ void __launch_bounds__(rounding_threads)
    round_columns(const __grid_constant__ ColumnsTask task, const __grid_constant__ FloatFormat format,
                  int bytes) {
  alignas(OfWarp) __shared__ std::byte memory[rounding_warps * sizeof(OfWarp)];
  const auto warp = static_cast<int>(threadIdx.x) / 32;
  const bool failed = *static_cast<const volatile std::uint32_t*>(task.failure) != 0;
  for (auto column = static_cast<int>(blockIdx.x) * rounding_warps + warp; column < task.columns;
       column += static_cast<int>(gridDim.x) * rounding_warps) {
    const std::int64_t* const word = task.words + std::int64_t{column} * column_words;
    std::uint64_t bits = rounded_column(task.type, format, reinterpret_cast<OfWarp*>(memory)[warp],
                                        [&](int i) { return word[i]; });
    if (failed) bits = cuda::encoded(from_bits(canonical_nan), task.type);
    if (threadIdx.x % 32 == 0) cuda::store_bits(task.out + std::int64_t{column} * bytes, bits, bytes);
  }
}

/// Each rank rounds a slice of the columns and stores the results on all.
__global__ void __launch_bounds__(rounding_threads)
    columns_over_peers(const __grid_constant__ ColumnsTask task, const __grid_constant__ FloatFormat format,
                       int bytes, const __grid_constant__ PeerTask peers) {
  __shared__ Round round;
  alignas(OfWarp) __shared__ std::byte memory[rounding_warps * sizeof(OfWarp)];
  const auto warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  cuda::wait_for_previous_launch();
  bool done = begin_round(peers, round);
  if (done) {
    const int slice = (task.columns + peers.size - 1) / peers.size;
    const int last = min(task.columns, slice * (peers.rank + 1));
    for (int column = slice * peers.rank + static_cast<int>(blockIdx.x) * rounding_warps + warp;
         column < last; column += static_cast<int>(gridDim.x) * rounding_warps) {
      const std::uint64_t bits =
          rounded_column(task.type, format, reinterpret_cast<OfWarp*>(memory)[warp], [&](int i) {
            std::int64_t sum = 0;
            for (int rank = 0; rank < peers.size; ++rank)
              sum += reinterpret_cast<const std::int64_t*>(address_of(
                  peers, rank, round.message[rank][head_words]))[std::int64_t{column} * column_words + i];
            return sum;
          });
      if (lane < peers.size)
        cuda::store_bits(address_of(peers, lane, round.message[lane][2]) + std::int64_t{column} * bytes, bits,
                         bytes);
    }
    done = end_round(peers, round);
  }
  if (done) return;
  const std::uint64_t nan = cuda::encoded(from_bits(canonical_nan), task.type);
  for (auto column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); column < task.columns;
       column += static_cast<int>(gridDim.x * blockDim.x))
    cuda::store_bits(task.out + std::int64_t{column} * bytes, nan, bytes);
}

void launch(const void* kernel, dim3 blocks, int threads, void** arguments, cudaStream_t stream) {
  cuda::check(cudaLaunchKernel(kernel, blocks, dim3(static_cast<unsigned>(threads)), arguments, 0, stream),
              "starting sums of columns");
}

unsigned blocks_of(std::int64_t units, int of_block, std::int64_t most) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((units + of_block - 1) / of_block, 1, most));
}

}  // namespace

template <class T>
void launch_add_columns(const ColumnsTask& task, cudaStream_t stream) {
  cuda::check(
      cudaMemsetAsync(task.words, 0,
                      sizeof(std::int64_t) * column_words * static_cast<std::size_t>(task.columns), stream),
      "clearing sums of columns");
  // Neighbouring threads take neighbouring elements.
  int across = 1;
  if (std::abs(task.column_step) <= std::abs(task.row_step))
    while (across < 32 && across < task.columns) across *= 2;
  constexpr std::int64_t wanted_blocks = 132 * 8, least_rows_of_thread = 16;
  const unsigned wide = blocks_of(task.columns, across, INT32_MAX);
  const int down = adding_threads / across;
  for (std::int64_t first = 0; first < task.rows; first += most_rows_of_launch) {
    std::int64_t end = std::min(task.rows, first + most_rows_of_launch), rows = end - first;
    const unsigned deep = blocks_of(rows, static_cast<int>(down * least_rows_of_thread),
                                    std::max<std::int64_t>(1, wanted_blocks / wide));
    ColumnsTask copy = task;
    void* arguments[] = {&copy, &first, &end, &across};
    launch(reinterpret_cast<const void*>(&add_columns<T>), dim3(wide, deep), adding_threads, arguments,
           stream);
    void* of_carries[] = {&copy, &rows};
    launch(reinterpret_cast<const void*>(&carry_up), dim3(blocks_of(task.columns, adding_threads, INT32_MAX)),
           adding_threads, of_carries, stream);
  }
}
template void launch_add_columns<half>(const ColumnsTask&, cudaStream_t);
template void launch_add_columns<bfloat16>(const ColumnsTask&, cudaStream_t);
template void launch_add_columns<float>(const ColumnsTask&, cudaStream_t);
template void launch_add_columns<double>(const ColumnsTask&, cudaStream_t);

void launch_round_columns(const ColumnsTask& task, cudaStream_t stream) {
  FloatFormat format = format_of(task.type);
  auto bytes = static_cast<int>(size_of(task.type));
  ColumnsTask copy = task;
  void* arguments[] = {&copy, &format, &bytes};
  launch(reinterpret_cast<const void*>(&round_columns), dim3(blocks_of(task.columns, rounding_warps, 4096)),
         rounding_threads, arguments, stream);
}

void launch_columns_over_peers(const ColumnsTask& task, PeerTask peers, int most, cudaStream_t stream) {
  FloatFormat format = format_of(task.type);
  auto bytes = static_cast<int>(size_of(task.type));
  ColumnsTask copy = task;
  void* arguments[] = {&copy, &format, &bytes, &peers};
  const unsigned blocks = blocks_of(task.columns / peers.size, rounding_warps, most);
  peers.what |= std::uint64_t{blocks} << 32;
  cuda::launch_programmatically(reinterpret_cast<const void*>(&columns_over_peers),
                                {.blocks = dim3(blocks), .threads = dim3(rounding_threads), .stream = stream},
                                arguments, "starting sums of columns");
}

void load_columns_kernels() {
  cudaFuncAttributes attributes;
  for (const void* const kernel :
       {reinterpret_cast<const void*>(&add_columns<half>),
        reinterpret_cast<const void*>(&add_columns<bfloat16>),
        reinterpret_cast<const void*>(&add_columns<float>),
        reinterpret_cast<const void*>(&add_columns<double>), reinterpret_cast<const void*>(&carry_up),
        reinterpret_cast<const void*>(&round_columns), reinterpret_cast<const void*>(&columns_over_peers)})
    cuda::check(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel");
}

}  // namespace foldline::nccl
