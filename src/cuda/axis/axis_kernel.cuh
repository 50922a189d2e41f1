// The kernel for reductions along an axis: one launch from an array to results.
//
// A block has some neighbouring vectors and several threads for each. A thread adds batches to bins of a
// window that its vector's first batches chose. If there are too few vectors to fill the device, they are
// split: several blocks reduce parts of the same vectors and add their sums to totals in global memory, and
// the last block rounds. Integer addition makes the sums independent of the order.
//
// Behind a kernel that adds in doubles, blocks take the groups that it put on a list instead.
#pragma once

#include "cuda/axis/axis_memory.cuh"
#include "cuda/axis/axis_result.cuh"
#include "cuda/axis/strided_batches.cuh"
#include "cuda/device/programmatic_launch.cuh"
#include "cuda/device/ticket.cuh"
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

/// A part of a group of 2^log_vectors neighbouring vectors, for which totals from `totals` on are free.
struct AxisGroup {
  std::int64_t first, totals;
  int log_vectors, split, splits;
  unsigned ticket;
};

/// Adds the block's sums to the totals in global memory. In the last block it reads all totals back and
/// returns true.
template <class Sums>
__device__ __noinline__ bool combine_splits(const AxisTask& task, const AxisBlock<Sums>& block,
                                            const AxisGroup& own, int vectors) {
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x);
  AxisTotals* const totals = task.totals + own.totals;
  unsigned& ticket = task.tickets[own.ticket];
  if constexpr (Sums::words != 0)
    for (int i = 0; i < vectors; ++i)
      if (block.vector[i].limbs != LimbState::unused)
        for (int word = thread; word < Sums::words; word += axis_threads)
          if (const Word own = block.limb[i * Sums::words + word]; own != 0)
            atomicAdd(&totals[i].limb[word], own);
  if (thread < vectors) add_to_totals(block, thread, totals[thread]);
  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(&ticket, 1u) == static_cast<unsigned>(own.splits) - 1;
  __syncthreads();
  if (!is_last) return false;
  __threadfence();
  if (thread == 0) ticket = 0;
  take_totals(block, vectors, totals);
  __syncthreads();
  return true;
}

/// Reduces the vectors of a group.
template <class Element, int Size, class Sums>
__device__ __forceinline__ void reduce_group(const AxisTask& task, const AxisGroup& own) {
  extern __shared__ Word memory[];
  const int vectors = 1 << own.log_vectors;
  const AxisBlock<Sums> block(memory, vectors);
  const AxisPosition position(task, own.log_vectors);
  const std::int64_t first_result = own.first;
  const std::int64_t own_result = first_result + position.vector;
  const bool has_vector = own_result < task.results;
  const StridedBatches<Element, Size> batches{task.x + (has_vector ? offset_of(task, own_result, false) : 0),
                                              task.stride, has_vector ? task.length : 0, position.lanes,
                                              ElementAt<Element>(task.type)};
  BlockVector<Sums>& vector = block.vector[position.vector];
  const int step = position.lanes * Size;
  int first = own.split * step;
  auto batch = batches.take(first + position.lane);
  __syncthreads();  // the block's memory is cleared

  Sums sums;
  open_windows(sums, batch, position, vector.largest);
  Sums block_window = sums;  // a thread may move its own windows
  bool only_negative_zeros = true;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  int batches_until_flush = max_batches_per_flush;
  for (;;) {
    const int next = first + own.splits * step;
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
  if (own.splits == 1 || combine_splits(task, block, own, own_vectors))
    write_results(task, block, first_result, own_vectors);
}

/// What a kernel of sums in doubles left to do, as groups of vectors.
struct RetriedGroups {
  std::int64_t count;
  int log_vectors, log_of_entry;  // vectors of a group, groups of an entry of the list
  bool all;
  int splits;

  __device__ RetriedGroups(const AxisTask& task, int blocks) {
    const RetryList& list = *task.direct.retries;
    const unsigned listed = *static_cast<const volatile unsigned*>(&list.count);
    const int log_unit = 31 - __clz(task.direct.unit);
    // Neighbours are read together, which also serves most that are listed.
    all =
        listed > RetryList::capacity || (listed != 0 && std::int64_t{listed} << log_unit >= task.results / 2);
    log_vectors = all ? task.log_vectors : min(task.log_vectors, log_unit);
    log_of_entry = max(log_unit - log_vectors, 0);
    count = all ? ((task.results - 1) >> log_vectors) + 1 : std::int64_t{listed} << log_of_entry;
    // Blocks that have no group of their own share those of others.
    constexpr int enough = 1 << 12;  // elements of a part
    splits = count == 0 || count << log_vectors > max_retried_totals
                 ? 1
                 : max(1, min(blocks / static_cast<int>(count),
                              static_cast<int>((std::int64_t{task.length} << log_vectors) / enough)));
  }
  __device__ AxisGroup group(const AxisTask& task, std::int64_t i) const {
    const std::int64_t of_entry = i & ((std::int64_t{1} << log_of_entry) - 1);
    const std::int64_t first =
        all ? i << log_vectors : task.direct.retries->first[i >> log_of_entry] + (of_entry << log_vectors);
    return {first, i << log_vectors, log_vectors, 0, splits, static_cast<unsigned>(i)};
  }
};

template <class Element, int Size, class Sums>
__global__ void __launch_bounds__(axis_threads, 3) axis_kernel(const __grid_constant__ AxisTask task) {
  wait_for_previous_launch();
  if (task.direct.layout != DirectLayout::none) allow_dependent_launch();
  const auto blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  const bool is_retry = task.direct.layout != DirectLayout::none;
  AxisGroup own{};
  std::int64_t i = 0, count = 1;
  if (!is_retry) {
    const int groups = blocks / task.splits;
    const std::int64_t first = static_cast<std::int64_t>(block % groups) << task.log_vectors;
    own = {first,          first,       task.log_vectors,
           block / groups, task.splits, static_cast<unsigned>(block % groups)};
  }
  int step = 1;
  if (is_retry) {
    const RetriedGroups groups(task, blocks);
    count = groups.count;
    i = groups.splits == 1 ? block : block % max(count, std::int64_t{1});
    step = blocks;
    own.split = groups.splits == 1 ? 0 : static_cast<int>(block / max(count, std::int64_t{1}));
    if (own.split >= groups.splits) i = count;
  }
  for (; i < count; i += step) {
    if (is_retry) {
      const int split = own.split;
      own = RetriedGroups(task, blocks).group(task, i);
      own.split = split;
    }
    if (own.first < task.results) reduce_group<Element, Size, Sums>(task, own);
    if (is_retry) __syncthreads();  // before the block's memory is another group's
  }
  RetryList* const list = task.direct.retries;
  if (is_retry && threadIdx.x == 0 && take_ticket(list->finished_blocks) == gridDim.x - 1)
    list->count = list->finished_blocks = 0;
}

template <class Element, int Size, class Sums>
void launch_axis_kernel(const AxisTask& task, cudaStream_t stream) {
  using Block = AxisBlock<Sums>;
  static_assert(Block::bytes(Sums::has_squares ? Sums::has_linear ? 16 : 32 : 64) <= 48 << 10);
  const std::int64_t groups = ((task.results - 1) >> task.log_vectors) + 1;
  const bool is_retry = task.direct.layout != DirectLayout::none;
  void* arguments[] = {const_cast<AxisTask*>(&task)};
  constexpr auto doing = "starting a reduction along an axis";
  launch_programmatically(
      reinterpret_cast<const void*>(&axis_kernel<Element, Size, Sums>),
      {.blocks = grid_of(is_retry ? task.direct.retry_blocks : groups * task.splits, doing),
       .threads = dim3(axis_threads),
       .shared_bytes = static_cast<std::size_t>(Block::bytes(1 << task.log_vectors)),
       .stream = stream},
      arguments, doing);
}

struct LaunchAxis {
  template <class Element, int Size, class Sums>
  static void run(const AxisTask& task, cudaStream_t stream) {
    launch_axis_kernel<Element, Size, Sums>(task, stream);
  }
};

/// Launches the kernel of an operation: sums of values have `ValueLevels` levels, of products
/// `ProductLevels`.
template <class Element, int Size, int ValueLevels, int ProductLevels, bool ProductsAreDoubles,
          class Launch = LaunchAxis, class Task = AxisTask>
void launch_axis_operation(const Task& task, Operation operation, cudaStream_t stream) {
  using None = NoAxisSum;
  using Sum = ThreadSum<Values, ValueLevels, true>;
  using AbsSum = ThreadSum<Magnitudes, ValueLevels, true>;
  using SumOfSquares = ThreadSum<Squares, ProductLevels, ProductsAreDoubles>;
  const auto launch = [&]<class Sums>(std::type_identity<Sums>) {
    Launch::template run<Element, Size, Sums>(task, stream);
  };
  const Needs needs = needs_of(operation);
  if (needs.values && needs.squares)
    launch(std::type_identity<AxisSums<Sum, SumOfSquares, false>>());
  else if (needs.squares)
    launch(std::type_identity<AxisSums<None, SumOfSquares, false>>());
  else if (needs.values)
    launch(std::type_identity<AxisSums<Sum, None, false>>());
  else if (needs.magnitudes)
    launch(std::type_identity<AxisSums<AbsSum, None, false>>());
  else
    launch(std::type_identity<AxisSums<None, None, true>>());
}

}  // namespace foldline::cuda
