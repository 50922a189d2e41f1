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
#include "cuda/axis/axis_rows.cuh"
#include "cuda/device/next_launch.cuh"
#include "cuda/runtime/start_early.hpp"

namespace foldline::cuda {

/// Batches that a thread may add to an int64 count: each changes it by less than 2^51.
inline constexpr int most_counted = 1 << 12;

/// Places the windows of the block's vectors above their first batches.
template <class Sums, class Taken>
__device__ __forceinline__ void open_windows(Sums& sums, const Taken& batch, const AxisPlace& place,
                                             unsigned (&shared_largest)[2]) {
  sums.for_each([&](auto& sum, int which, int) {
    using Sum = std::remove_reference_t<decltype(sum)>;
    const unsigned high =
        place.combined(Sum::largest_key(batch), [](unsigned a, unsigned b) { return max(a, b); });
    if (place.leads) atomicMax(&shared_largest[which], high);
  });
  __syncthreads();
  sums.for_each([&](auto& sum, int which, int) { sum.open_above(shared_largest[which]); });
}

/// Adds a batch that did not fit, after moving the thread's window if that leaves less to spill. The sum is
/// passed by value, so that it stays in registers.
template <class Sum, class Rows>
__device__ __noinline__ Sum add_with_care(Sum sum, const Rows& rows, int first, LimbSpill spill) {
  const auto batch = rows.take(first);
  const int left = sum.left_of(batch);
  if (left > 1) {
    Sum other;
    other.open_above(Sum::largest_key(batch));
    if (other.window() != sum.window() && other.left_of(batch) < left) {
      sum.flush(spill);
      sum = other;
    }
  }
  sum.add_with_care(batch, spill);
  return sum;
}

/// Adds the counts of a warp's threads to the block's counts.
template <class Sums>
__device__ __forceinline__ void add_counts(Sums& sums, const AxisPlace& place, BlockVector<Sums>& vector) {
  const auto add = [](std::int64_t a, std::int64_t b) { return a + b; };
  sums.for_each([&](auto& sum, int, int first_level) {
#pragma unroll
    for (int k = 0; k < sum.levels; ++k) {
      Word* const counts = vector.count + 2 * (first_level + k);
      const std::int64_t low = place.combined(sum.count[k] & 0xffffffff, add);
      const std::int64_t high = place.combined(sum.count[k] >> 32, add);
      if (place.leads && low != 0) atomicAdd(counts, static_cast<Word>(low));
      if (place.leads && high != 0) atomicAdd(counts + 1, static_cast<Word>(high));
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
    const int place = which == 0 ? -first_linear_word : Sums::has_linear ? linear_words : 0;
    add_to_limbs(totals.limb + place, count, exponent);
  });
}

/// Adds the block's sums to the totals in global memory. In the last block it reads all totals back and
/// returns true.
template <class Sums>
__device__ __noinline__ bool share(const AxisTask& task, const AxisBlock<Sums>& block, std::int64_t first,
                                   int vectors, unsigned& ticket) {
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
  if (thread == 0) is_last = atomicAdd(&ticket, 1u) == static_cast<unsigned>(task.slices) - 1;
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
  wait_for_launch_before();
  const int vectors = 1 << task.log_vectors;
  const AxisBlock<Sums> block(memory, vectors);
  const AxisPlace place(task);
  const unsigned groups = gridDim.x / static_cast<unsigned>(task.slices);
  const unsigned group = blockIdx.x % groups, slice = blockIdx.x / groups;
  const std::int64_t first_result = static_cast<std::int64_t>(group) << task.log_vectors;
  const std::int64_t own_result = first_result + place.vector;
  const bool has_vector = own_result < task.results;
  const AxisRows<Element, Size> rows{task.x + (has_vector ? offset_of(task, own_result, false) : 0),
                                     task.stride, has_vector ? task.length : 0, place.lanes,
                                     ElementAt<Element>(task.type)};
  BlockVector<Sums>& vector = block.vector[place.vector];
  const int step = place.lanes * Size;
  int first = static_cast<int>(slice) * step;
  auto batch = rows.take(first + place.lane);
  __syncthreads();  // the block's memory is cleared

  Sums sums;
  open_windows(sums, batch, place, vector.largest);
  Sums opened = sums;  // a thread may move its own windows
  bool only_negative_zeros = true;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  int uncounted = most_counted;
  for (;;) {
    const int next = first + task.slices * step;
    const auto next_batch = rows.take(next + place.lane);  // loaded while the current batch is added
    bool fits = true;
    sums.for_each([&](auto& sum, int which, int) {
      if (__builtin_expect(!sum.add(batch), 0)) {
        fits = false;
        sum = add_with_care(sum, FiniteRows<AxisRows<Element, Size>>{rows}, first + place.lane,
                            LimbSpill{block.cleared_limbs(place.vector, which)});
      }
    });
    if (__builtin_expect(!fits, 0)) count_specials(rows, first + place.lane, vector.totals.special);
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
    if (--uncounted == 0) {
      sums.for_each(
          [&](auto& sum, int which, int) { sum.flush(LimbSpill{block.cleared_limbs(place.vector, which)}); });
      uncounted = most_counted;
    }
    if (next >= task.length) break;
    first = next;
    batch = next_batch;
  }

  // Counts in a window that a thread moved cannot be added to the others'.
  const auto settle = [&](auto& sum, const auto& own, int which) {
    if (sum.window() != own.window()) sum.flush(LimbSpill{block.cleared_limbs(place.vector, which)});
  };
  if constexpr (Sums::has_linear) settle(sums.linear, opened.linear, 0);
  if constexpr (Sums::has_squares) settle(sums.squares, opened.squares, 1);
  add_counts(sums, place, vector);
  const bool others =
      place.combined(unsigned{!only_negative_zeros}, [](auto a, auto b) { return a | b; }) != 0;
  if (place.leads && others) atomicOr(&vector.totals.other_than_negative_zero, 1u);
  if constexpr (Sums::extrema) {
    lowest = place.combined(lowest, [](auto a, auto b) { return a < b ? a : b; });
    highest = place.combined(highest, [](auto a, auto b) { return a > b ? a : b; });
    if (place.leads) {
      atomicMax(&vector.totals.highest, word_of_key(highest));
      atomicMax(&vector.totals.inverted_lowest, ~word_of_key(lowest));
    }
  }
  __syncthreads();
  const int own_vectors = static_cast<int>(min(std::int64_t{vectors}, task.results - first_result));
  let_next_launch_begin();
  if (task.slices == 1 || share(task, block, first_result, own_vectors, task.tickets[group]))
    write_results(task, block, first_result, own_vectors);
}

template <class Element, int Size, class Sums>
void start_axis(const AxisTask& task, cudaStream_t stream) {
  using Block = AxisBlock<Sums>;
  static_assert(Block::bytes(Sums::has_squares ? Sums::has_linear ? 16 : 32 : 64) <= 48 << 10);
  const std::int64_t groups = ((task.results - 1) >> task.log_vectors) + 1;
  void* arguments[] = {const_cast<AxisTask*>(&task)};
  start_early(reinterpret_cast<const void*>(&axis_kernel<Element, Size, Sums>),
              {.blocks = dim3(static_cast<unsigned>(groups * task.slices)),
               .threads = dim3(axis_threads),
               .shared_bytes = static_cast<std::size_t>(Block::bytes(1 << task.log_vectors)),
               .stream = stream},
              arguments, "starting a reduction along an axis");
}

/// Launches the kernel of an operation: sums of values have `ValueLevels` levels, of products
/// `ProductLevels`.
template <class Element, int Size, int ValueLevels, int ProductLevels, bool ProductsAreDoubles>
void start_axis_for(const AxisTask& task, cudaStream_t stream) {
  using None = NoAxisSum;
  using Sum = ThreadSum<Values, ValueLevels, true>;
  using AbsSum = ThreadSum<Magnitudes, ValueLevels, true>;
  using SumOfSquares = ThreadSum<Squares, ProductLevels, ProductsAreDoubles>;
  const Needs needs = needs_of(task.operation);
  if (needs.values && needs.squares)
    start_axis<Element, Size, AxisSums<Sum, SumOfSquares, false>>(task, stream);
  else if (needs.squares)
    start_axis<Element, Size, AxisSums<None, SumOfSquares, false>>(task, stream);
  else if (needs.values)
    start_axis<Element, Size, AxisSums<Sum, None, false>>(task, stream);
  else if (needs.magnitudes)
    start_axis<Element, Size, AxisSums<AbsSum, None, false>>(task, stream);
  else
    start_axis<Element, Size, AxisSums<None, None, true>>(task, stream);
}

}  // namespace foldline::cuda
