// The reduction kernel for a single sum of integers. The general kernel converts elements to doubles, which
// limits its speed for types of 32 bits and less.
#pragma once

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/device/sources.cuh"
#include "cuda/exact/grid_sum.cuh"
#include "cuda/reduce/integer_sum.cuh"
#include "cuda/reduce/round_pieces.cuh"
#include "cuda/reduce/round_result.cuh"
#include "cuda/reduce/workspace.cuh"

namespace foldline::cuda {

/// Stores the result of a task that is the sum or a function of it. Returns false if the general path must
/// round it.
__device__ __forceinline__ bool round_integer(Int128 sum, const ResultTask& task) {
  const bool negative = sum < 0;
  const Uint128 magnitude = negative ? -static_cast<Uint128>(sum) : static_cast<Uint128>(sum);
  const auto low = static_cast<std::uint64_t>(magnitude), high = static_cast<std::uint64_t>(magnitude >> 64);
  if (task.is_integer) {
    const TruncatedInteger value = {negative, low, high != 0, true};
    if (!(task.wrap || fits(value, task.integer_format))) return false;
    store_bits(task.result.out, wrapped(value, task.integer_format), task.bytes);
    return true;
  }
  if (magnitude == 0) return false;
  const int zeros = high != 0 ? leading_zeros(high) : 64 + leading_zeros(low);
  return round_leading(negative, {magnitude << zeros, -zeros, false}, task);
}

/// Writes a sum as limbs.
__device__ inline void write_words(Int128 number, SumWords& sum) {
  static_assert(first_exponent % 32 == 0);
  for (int i = 0; i < 4; ++i, number >>= 32)
    sum.word[i] = i == 3 ? static_cast<std::int64_t>(number) : static_cast<std::uint32_t>(number);
  for (std::int64_t& special : sum.special) special = 0;
  sum.exponent = 0;
  sum.words = 4;
}

/// The largest number of blocks of a launch.
inline constexpr int max_integer_blocks = (1 << 14) - 1;
using IntegerGridSum = GridSum<max_integer_blocks>;

/// Computes the only sum in `Sums`; see is_integer_sum.
template <class Source, class Sums, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    add_integers(const __grid_constant__ Source source, Workspace* workspace, KernelResult* result,
                 const __grid_constant__ ResultTask task) {
  __shared__ Int128 scratch[Threads / 32];
  __shared__ ResultNumbers numbers;
  wait_for_previous_launch();
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int tile = static_cast<int>(blockIdx.x);
  using Sum = IntegerSum<typename Source::Element, typename SingleSum<Sums>::Terms>;
  Sum sum;
  for (; tile < source.full_tiles; tile += step) sum.add(source.reader(tile, thread).batch());
  for (; tile < source.tiles; tile += step) sum.add(source.reader(tile, thread).masked_batch());

  const Int128 of_block = block_sum<Threads>(sum.total, scratch);
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
  if (rounds && round_integer(all, task)) return;
  write_words(all, result->sum[Sum::index]);
  result->only_negative_zeros = 0;
  if (rounds) round_and_store(task, result, numbers);
}

}  // namespace foldline::cuda
