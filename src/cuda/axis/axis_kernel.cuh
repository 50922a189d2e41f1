// The kernel for reductions along an axis: one launch from an array to results.
//
// A block has some neighbouring vectors and several threads for each. A thread adds batches to bins of a
// window that its vector's first batches chose. If there are too few vectors to fill the device, they are
// split: several blocks reduce parts of the same vectors and add their sums to totals in global memory, and
// the last block rounds. Integer addition makes the sums independent of the order.
// rounds. Addition of integers: no order matters.
#pragma once

#include "cuda/axis/axis_memory.cuh"
#include "cuda/axis/axis_result.cuh"
#include "cuda/axis/strided_batches.cuh"
#include "cuda/device/programmatic_launch.cuh"
#include "cuda/runtime/programmatic_launch.hpp"

namespace foldline::cuda {

/// Batches that a thread may add to an int64 count: each changes it by less than 2^51.
inline constexpr int max_batches_per_flush = 1 << 12;

/// Places the windows of the block's vectors above their first batches.
template <class Sums, class BatchType>
__device__ __forceinline__ void open_windows(Sums& sums, const BatchType& batch, const AxisPosition& position,
                                             unsigned (&shared_largest)[2]) {
  sums.for_each([&](auto& sum, int which, int) {
    using Sum = std::remove_reference_t<decltype(sum)>;
    const unsigned high =
        position.combined(Sum::largest_key(batch), [](unsigned a, unsigned b) { return max(a, b); });
    if (position.is_leader) atomicMax(&shared_largest[which], high);
  });
  __syncthreads();
  sums.for_each([&](auto& sum, int which, int) { sum.open_window_above(shared_largest[which]); });
}

/// Adds a batch that did not fit, after moving the thread's window if that leaves less to spill. The sum is
/// passed by value, so that it stays in registers.
template <class Sum, class Rows>
__device__ __noinline__ Sum add_or_spill(Sum sum, const Rows& batches, int first, LimbSpill spill) {
  const auto batch = batches.take(first);
  const int left = sum.count_misfits(batch);
  if (left > 1) {
    Sum other;
    other.open_window_above(Sum::largest_key(batch));
    if (other.window() != sum.window() && other.count_misfits(batch) < left) {
      sum.flush(spill);
      sum = other;
    }
  }
  sum.add_or_spill(batch, spill);
  return sum;
}

/// Adds the counts of a warp's threads to the block's counts.
template <class Sums>
__device__ __forceinline__ void add_counts(Sums& sums, const AxisPosition& position,
                                           BlockVector<Sums>& vector) {
  const auto add = [](std::int64_t a, std::int64_t b) { return a + b; };
  sums.for_each([&](auto& sum, int, int first_level) {
#pragma unroll
    for (int k = 0; k < sum.levels; ++k) {
      Word* const counts = vector.count + 2 * (first_level + k);
      const std::int64_t low = position.combined(sum.count[k] & 0xffffffff, add);
      const std::int64_t high = position.combined(sum.count[k] >> 32, add);
      if (position.is_leader && low != 0) atomicAdd(counts, static_cast<Word>(low));
      if (position.is_leader && high != 0) atomicAdd(counts + 1, static_cast<Word>(high));
    }
  });
}

/// Adds the block's sums of a vector, except its limbs, to the totals in global memory.
template <class Sums>
__device__ void add_to_totals(const AxisBlock<Sums>& block, int of, AxisTotals& totals) {
  const AxisVector& own = block.vector[of].totals;
  AxisVector& all = totals.vector;
  for (int kind = 0; kind < 3; ++kind)
    if (own.special[kind] != 0) atomicAdd(&all.special[kind], own.special[kind]);
  if (own.other_than_negative_zero != 0) atomicOr(&all.other_than_negative_zero, 1u);
  if constexpr (Sums::extrema) {
    atomicMax(&all.highest, own.highest);
    atomicMax(&all.inverted_lowest, own.inverted_lowest);
  }
  for_each_count(block, of, [&](std::int64_t count, int which, int exponent) {
    const int offset = which == 0 ? -first_linear_word : Sums::has_linear ? linear_words : 0;
    add_to_limbs(totals.limb + offset, count, exponent);
  });
}

/// Adds the block's sums to the totals in global memory. In the last block it reads all totals back and
/// returns true.
template <class Sums>
__device__ __noinline__ bool combine_splits(const AxisTask& task, const AxisBlock<Sums>& block,
                                            std::int64_t first, int vectors, unsigned& ticket) {
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x);
  AxisTotals* const totals = task.totals + first;
  if constexpr (Sums::words != 0)
    for (int i = 0; i < vectors; ++i)
      if (block.vector[i].limbs != LimbState::unused)
        for (int word = thread; word < Sums::words; word += axis_threads)
          if (const Word own = block.limb[i * Sums::words + word]; own != 0)
            atomicAdd(&totals[i].limb[word], own);
  if (thread < vectors) add_to_totals(block, thread, totals[thread]);
  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(&ticket, 1u) == static_cast<unsigned>(task.splits) - 1;
  __syncthreads();
  if (!is_last) return false;
  __threadfence();
  if (thread == 0) ticket = 0;
  take_totals(block, vectors, totals);
  __syncthreads();
  return true;
}

template <class Element, int Size, class Sums>
__global__ void __launch_bounds__(axis_threads, 3) axis_kernel(const __grid_constant__ AxisTask task) {
  extern __shared__ Word memory[];
  wait_for_previous_launch();
  const int vectors = 1 << task.log_vectors;
  const AxisBlock<Sums> block(memory, vectors);
  const AxisPosition position(task);
  const unsigned groups = gridDim.x / static_cast<unsigned>(task.splits);
  const unsigned group = blockIdx.x % groups, split = blockIdx.x / groups;
  const std::int64_t first_result = static_cast<std::int64_t>(group) << task.log_vectors;
  const std::int64_t own_result = first_result + position.vector;
  const bool has_vector = own_result < task.results;
  const StridedBatches<Element, Size> batches{task.x + (has_vector ? offset_of(task, own_result, false) : 0),
                                              task.stride, has_vector ? task.length : 0, position.lanes,
                                              ElementAt<Element>(task.type)};
  BlockVector<Sums>& vector = block.vector[position.vector];
  const int step = position.lanes * Size;
  int first = static_cast<int>(split) * step;
  auto batch = batches.take(first + position.lane);
  __syncthreads();  // the block's memory is cleared

  Sums sums;
  open_windows(sums, batch, position, vector.largest);
  Sums block_window = sums;  // a thread may move its own windows
  bool only_negative_zeros = true;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  int batches_until_flush = max_batches_per_flush;
  for (;;) {
    const int next = first + task.splits * step;
    const auto next_batch = batches.take(next + position.lane);  // loaded while the current batch is added
    bool fits = true;
    sums.for_each([&](auto& sum, int which, int) {
      if (__builtin_expect(!sum.add(batch), 0)) {
        fits = false;
        sum = add_or_spill(sum, FiniteBatches<StridedBatches<Element, Size>>{batches}, first + position.lane,
                           LimbSpill{block.cleared_limbs(position.vector, which)});
      }
    });
    if (__builtin_expect(!fits, 0)) count_specials(batches, first + position.lane, vector.totals.special);
    if (only_negative_zeros)  // rarely true after the first batch
      for (int i = 0; i < Size; ++i) only_negative_zeros &= is_negative_zero(batch.x[i]);
    if constexpr (Sums::extrema) {
#pragma unroll
      for (int i = 0; i < Size; ++i)
        if ((batch.present >> i & 1) != 0) {
          lowest = min(lowest, key_of(batch.x[i]));
          highest = max(highest, key_of(batch.x[i]));
        }
    }
    if (--batches_until_flush == 0) {
      sums.for_each([&](auto& sum, int which, int) {
        sum.flush(LimbSpill{block.cleared_limbs(position.vector, which)});
      });
      batches_until_flush = max_batches_per_flush;
    }
    if (next >= task.length) break;
    first = next;
    batch = next_batch;
  }

  // Counts in a window that a thread moved cannot be added to the others'.
  const auto flush_if_moved = [&](auto& sum, const auto& own, int which) {
    if (sum.window() != own.window()) sum.flush(LimbSpill{block.cleared_limbs(position.vector, which)});
  };
  if constexpr (Sums::has_linear) flush_if_moved(sums.linear, block_window.linear, 0);
  if constexpr (Sums::has_squares) flush_if_moved(sums.squares, block_window.squares, 1);
  add_counts(sums, position, vector);
  const bool others =
      position.combined(unsigned{!only_negative_zeros}, [](auto a, auto b) { return a | b; }) != 0;
  if (position.is_leader && others) atomicOr(&vector.totals.other_than_negative_zero, 1u);
  if constexpr (Sums::extrema) {
    lowest = position.combined(lowest, [](auto a, auto b) { return a < b ? a : b; });
    highest = position.combined(highest, [](auto a, auto b) { return a > b ? a : b; });
    if (position.is_leader) {
      atomicMax(&vector.totals.highest, word_of_key(highest));
      atomicMax(&vector.totals.inverted_lowest, ~word_of_key(lowest));
    }
  }
  __syncthreads();
  const int own_vectors = static_cast<int>(min(std::int64_t{vectors}, task.results - first_result));
  allow_dependent_launch();
  if (task.splits == 1 || combine_splits(task, block, first_result, own_vectors, task.tickets[group]))
    write_results(task, block, first_result, own_vectors);
}

template <class Element, int Size, class Sums>
void launch_axis_kernel(const AxisTask& task, cudaStream_t stream) {
  using Block = AxisBlock<Sums>;
  static_assert(Block::bytes(Sums::has_squares ? Sums::has_linear ? 16 : 32 : 64) <= 48 << 10);
  const std::int64_t groups = ((task.results - 1) >> task.log_vectors) + 1;
  void* arguments[] = {const_cast<AxisTask*>(&task)};
  launch_programmatically(reinterpret_cast<const void*>(&axis_kernel<Element, Size, Sums>),
                          {.blocks = dim3(static_cast<unsigned>(groups * task.splits)),
                           .threads = dim3(axis_threads),
                           .shared_bytes = static_cast<std::size_t>(Block::bytes(1 << task.log_vectors)),
                           .stream = stream},
                          arguments, "starting a reduction along an axis");
}

/// Launches the kernel of an operation: sums of values have `ValueLevels` levels, of products
/// `ProductLevels`.
template <class Element, int Size, int ValueLevels, int ProductLevels, bool ProductsAreDoubles>
void launch_axis_operation(const AxisTask& task, cudaStream_t stream) {
  using None = NoAxisSum;
  using Sum = ThreadSum<Values, ValueLevels, true>;
  using AbsSum = ThreadSum<Magnitudes, ValueLevels, true>;
  using SumOfSquares = ThreadSum<Squares, ProductLevels, ProductsAreDoubles>;
  const Needs needs = needs_of(task.operation);
  if (needs.values && needs.squares)
    launch_axis_kernel<Element, Size, AxisSums<Sum, SumOfSquares, false>>(task, stream);
  else if (needs.squares)
    launch_axis_kernel<Element, Size, AxisSums<None, SumOfSquares, false>>(task, stream);
  else if (needs.values)
    launch_axis_kernel<Element, Size, AxisSums<Sum, None, false>>(task, stream);
  else if (needs.magnitudes)
    launch_axis_kernel<Element, Size, AxisSums<AbsSum, None, false>>(task, stream);
  else
    launch_axis_kernel<Element, Size, AxisSums<None, None, true>>(task, stream);
}

}  // namespace foldline::cuda
