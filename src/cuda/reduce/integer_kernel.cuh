// The reduction kernel of contiguous integers, and its launch. The general kernel converts elements to
// doubles, which limits its speed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/device/block.cuh"
#include "cuda/device/programmatic_launch.cuh"
#include "cuda/device/sources.cuh"
#include "cuda/exact/grid_sum.cuh"
#include "cuda/reduce/integer_sum.cuh"
#include "cuda/reduce/launch_reduce.cuh"
#include "cuda/reduce/round_pieces.cuh"
#include "cuda/reduce/round_result.cuh"
#include "cuda/reduce/workspace.cuh"

namespace foldline::cuda {

/// Rounds and stores the result of a task that is the sum or a function of it. Returns false if the general
/// path must round it: a root mean square.
template <class Sums>
__device__ __forceinline__ bool round_integer(Int128 sum, const ResultTask& task) {
  if (!needs_one_sum<Sums>(task.result.operation)) return false;
  const bool negative = sum < 0;
  const Uint128 magnitude = negative ? -static_cast<Uint128>(sum) : static_cast<Uint128>(sum);
  const auto low = static_cast<std::uint64_t>(magnitude), high = static_cast<std::uint64_t>(magnitude >> 64);
  if (task.is_integer) {
    const TruncatedInteger value = {negative, low, high != 0, true};
    if (task.wrap || fits(value, task.integer_format))
      store_bits(task.result.out, wrapped(value, task.integer_format), task.bytes);
    else if (task.status != nullptr)
      atomicMax(task.status, ~0ull);
    return true;
  }
  if (magnitude == 0) {
    const bool is_undefined = task.result.operation == Operation::mean && task.count == 0;
    store_bits(task.result.out, encoded(is_undefined ? from_bits(canonical_nan) : 0.0, task.result.type),
               task.bytes);
    return true;
  }
  const int zeros = high != 0 ? leading_zeros(high) : 64 + leading_zeros(low);
  return round_leading<Sums>(negative, {magnitude << zeros, -zeros, false}, task);
}

/// A sum of integers in words of 32 bits and more, as SumWords has them, from the numbers that hold it.
template <int Numbers>
struct IntegerWords {
  static constexpr int count = Numbers == 1 ? 4 : 6;
  std::int64_t word[count] = {};

  __device__ explicit IntegerWords(const Int128 (&number)[Numbers]) {
#pragma unroll
    for (int k = 0; k < Numbers; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const auto rest = static_cast<std::int64_t>(number[k] >> (32 * i));
        word[2 * k + i] += i == 3 ? rest : rest & 0xffffffff;  // the highest carries the sign
      }
  }
  __device__ void write(SumWords& sum) const {
    static_assert(first_exponent % 32 == 0);
    for (int i = 0; i < count; ++i) sum.word[i] = word[i];
    for (std::int64_t& special : sum.special) special = 0;
    sum.exponent = 0;
    sum.words = count;
  }
  /// Rounds and stores the sum as the result of a task, or returns false, as round_pieces does.
  template <class Sums>
  __device__ bool round(const ResultTask& task) const {
    std::uint32_t digit[count], any = 0;
    std::int64_t sum = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      sum += word[i];
      digit[i] = static_cast<std::uint32_t>(sum);
      sum >>= 32;
    }
    const bool negative = sum < 0;
    std::uint64_t carry = negative;
#pragma unroll
    for (std::uint32_t& each : digit) {
      carry += each ^ (negative ? ~0u : 0u);
      each = static_cast<std::uint32_t>(carry);
      any |= each;
      carry >>= 32;
    }
    return any != 0 && round_leading<Sums>(negative, leading_words(digit, 0), task);
  }
};

/// The largest number of blocks of a launch.
inline constexpr int max_integer_blocks = (1 << 14) - 1;
using IntegerGridSum = GridSum<max_integer_blocks>;

/// Computes the only sum in `Sums`, which is one number.
template <class Source, class Sums, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    add_integers(const __grid_constant__ Source source, Workspace* workspace, KernelResult* result,
                 const __grid_constant__ ResultTask task) {
  __shared__ Int128 scratch[Threads / 32];
  constexpr bool may_be_root_mean_square = Sums::has_products && !Source::two_vectors;
  wait_for_previous_launch();
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int tile = static_cast<int>(blockIdx.x);
  OnlySum<Sums> sum;
  for (; tile < source.full_tiles; tile += step) sum.add(source.reader(tile, thread).batch());
  for (; tile < source.tiles; tile += step) sum.add(source.reader(tile, thread).masked_batch());

  const Int128 of_block = block_sum<Threads>(sum.number[0], scratch);
  allow_dependent_launch();
  if (warp() != 0) return;
  Word word = 0;
  Word* const shared = &workspace->integer[lane() % IntegerGridSum::parts];
  if (lane() < IntegerGridSum::parts) {
    const Word own = IntegerGridSum::addend(of_block, lane());
    word = atomicAdd(shared, own) + own;
  }
  // The block that adds last to the first word combines: the other blocks have at most their other words left
  // to add.
  if (IntegerGridSum::blocks(__shfl_sync(all_lanes, word, 0)) != step) return;
  if (lane() < IntegerGridSum::parts) {
    while (IntegerGridSum::blocks(word) != step) word = *static_cast<volatile Word*>(shared);
    *shared = 0;
  }
  const Int128 all = IntegerGridSum::sum(word, step);
  if (thread != 0) return;
  const bool rounds = task.result.out != nullptr;
  if (rounds && round_integer<Sums>(all, task)) return;
  IntegerWords<1> words({all});
  words.write(result->sum[Sums::first_index]);
  result->only_negative_zeros = 0;
  if constexpr (may_be_root_mean_square) {
    alignas(ResultNumbers) __shared__ std::byte numbers[sizeof(ResultNumbers)];
    if (rounds) round_and_store<ToRound<Sums>>(task, result, *reinterpret_cast<ResultNumbers*>(numbers));
  }
}

/// What the warps of a block tell the first one.
template <int Numbers, int Warps>
struct IntegerMemory {
  Int128 number[Numbers][Warps];
  std::int64_t lowest_key[Warps], highest_key[Warps];
};

template <class Source, class Sums, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    add_several_integers(const __grid_constant__ Source source, Workspace* workspace, KernelResult* result,
                         const __grid_constant__ ResultTask task) {
  // Without a sum, that of nothing counts the blocks.
  constexpr int numbers = numbers_of<Sums> == 0 ? 1 : numbers_of<Sums>, parts = IntegerGridSum::parts,
                warps = Threads / 32;
  static_assert(numbers * parts <= integer_words);
  __shared__ IntegerMemory<numbers, warps> memory;
  alignas(ResultNumbers) __shared__ std::byte result_numbers[sizeof(ResultNumbers)];
  wait_for_previous_launch();
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int tile = static_cast<int>(blockIdx.x);
  Sums sums;
  [[maybe_unused]] IntegerExtrema<typename Source::Element> extrema;
  for (; tile < source.full_tiles; tile += step) {
    const auto batch = source.reader(tile, thread).batch();
    for_each_sum(sums, [&](auto& sum, int) { sum.add(batch); });
    if constexpr (Sums::extrema) {
#pragma unroll
      for (int i = 0; i < Source::size; ++i) extrema.add(batch.x[i]);
    }
  }
  for (; tile < source.tiles; tile += step) {
    const auto reader = source.reader(tile, thread);
    const auto batch = reader.masked_batch();
    for_each_sum(sums, [&](auto& sum, int) { sum.add(batch); });
    if constexpr (Sums::extrema) {
      const std::uint64_t present = reader.present();
#pragma unroll
      for (int i = 0; i < Source::size; ++i)
        if ((present >> i & 1) != 0) extrema.add(batch.x[i]);
    }
  }

  int k = 0;
  for_each_sum(sums, [&](auto& sum, int) {
    for (const auto own : sum.number) {
      const auto of_warp = warp_sum(own);
      if (lane() == 0) memory.number[k][warp()] = of_warp;
      ++k;
    }
  });
  if constexpr (Sums::extrema) {
    const std::int64_t lowest = warp_min(key_of(extrema.lowest)),
                       highest = ~warp_min(~key_of(extrema.highest));
    if (lane() == 0) memory.lowest_key[warp()] = lowest, memory.highest_key[warp()] = highest;
  }
  __syncthreads();
  allow_dependent_launch();
  if (warp() != 0) return;
  // Each lane adds a part of a number of the block.
  Int128 of_block = 0;
#pragma unroll
  for (int i = 0; i < numbers_of<Sums>; ++i) {
    const Int128 number = warp_sum(lane() < warps ? memory.number[i][lane()] : Int128{0});
    if (lane() / parts == i) of_block = number;
  }
  if constexpr (Sums::extrema) {
    const std::int64_t lowest = warp_min(memory.lowest_key[lane() % warps]),
                       highest = ~warp_min(~memory.highest_key[lane() % warps]);
    if (lane() == 0) {
      atomicMax(&workspace->integer_lowest, ~word_of_key(lowest));
      atomicMax(&workspace->integer_highest, word_of_key(highest));
    }
    __syncwarp();
    __threadfence();  // a block that finds this one counted must also see these
  }
  Word word = 0;
  Word* const shared = &workspace->integer[lane() % integer_words];
  const bool adds = lane() < numbers * parts;
  if (adds) {
    const Word own = IntegerGridSum::addend(of_block, lane() % parts);
    word = atomicAdd(shared, own) + own;
  }
  // The block that adds last to the first word combines: the other blocks have at most their other words left
  // to add.
  if (IntegerGridSum::blocks(__shfl_sync(all_lanes, word, 0)) != step) return;
  if (adds) {
    while (IntegerGridSum::blocks(word) != step) word = *static_cast<volatile Word*>(shared);
    *shared = 0;
  }
  const Int128 total = IntegerGridSum::sum(word, step);  // a number of all blocks, in `parts` lanes each
  const bool rounds = task.result.out != nullptr;
  bool is_rounded = false;
  k = 0;
  for_each_sum(sums, [&](auto& sum, int index) {
    constexpr int of_sum = numbers_of_sum<std::remove_reference_t<decltype(sum)>>;
    Int128 number[of_sum];
    for (Int128& each : number) each = shuffle(total, k++ * parts);
    if (lane() != 0) return;
    const IntegerWords<of_sum> words(number);
    if constexpr (Sums::count == 1 && !Sums::extrema) is_rounded = rounds && words.template round<Sums>(task);
    if (!is_rounded) words.write(result->sum[index]);
  });
  if (lane() != 0 || is_rounded) return;
  if constexpr (Sums::extrema) {
    __threadfence();
    result->lowest_key = key_of_word(~__ldcg(&workspace->integer_lowest));
    result->highest_key = key_of_word(__ldcg(&workspace->integer_highest));
    workspace->integer_lowest = workspace->integer_highest = 0;
  }
  result->only_negative_zeros = 0;
  if (rounds) round_and_store<ToRound<Sums>>(task, result, *reinterpret_cast<ResultNumbers*>(result_numbers));
}

inline constexpr int integer_threads = 384;
/// Integer kernels use few registers, so three blocks fit.
inline constexpr int integer_blocks_per_multiprocessor = 3;
/// With many tiles, launch many small blocks: faster multiprocessors then take more of them.
inline constexpr int integer_tiles_of_many = 5, many_integer_tiles = 16;

template <class Source>
int integer_blocks_for(const Source& source, const Launch& launch) {
  const int resident_blocks = blocks_for(source, launch, integer_blocks_per_multiprocessor);
  if (source.tiles < many_integer_tiles * resident_blocks) return resident_blocks;
  return std::clamp(source.tiles / integer_tiles_of_many, resident_blocks, max_integer_blocks);
}

/// Starts a kernel of integers.
struct StartIntegers {
  template <class Sums, class Source>
  static void start(const Source& source, const Launch& launch) {
    constexpr int loads = Source::two_vectors || Sums::count + (Sums::extrema ? 1 : 0) > 1 ? 2 : 4;
    using Integers = Contiguous<typename Source::Element, loads, Source::two_vectors, integer_threads>;
    const Integers integers(source.first_x, source.first_y, source.count, source.head);
    constexpr int of_multiprocessor = integer_blocks_per_multiprocessor;
    const auto kernel = [] {
      if constexpr (Sums::count == 1 && numbers_of<Sums> == 1 && !Sums::extrema)
        return &add_integers<Integers, Sums, integer_threads, of_multiprocessor>;
      else
        return &add_several_integers<Integers, Sums, integer_threads, of_multiprocessor>;
    }();
    start_kernel(reinterpret_cast<const void*>(kernel),
                 {integer_blocks_for(integers, launch), integer_threads, 0}, &integers, integers.count,
                 launch, nullptr);
  }
};

template <class T>
using IntegerKernels = Kernels<StartIntegers, IntegerSum<T, Values>, IntegerSum<T, Magnitudes>,
                               IntegerSum<T, Squares>, IntegerSum<T, Weights>, IntegerSum<T, Products>>;

template <class T>
std::int64_t launch_integers(const Reduction& reduction, const Launch& launch) {
  return launch_contiguous<T, 4, 2, IntegerKernels<T>>(reduction, launch);
}

}  // namespace foldline::cuda
