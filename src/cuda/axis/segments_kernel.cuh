// Reductions of segments by sums in doubles, or by exact ones of integers. Parts of a warp have a segment
// each, as long as the mean asks for; longer ones are taken by the whole warp, and the longest are put on a
// list for blocks, in shares.
#pragma once

#include "cuda/axis/rows_kernel.cuh"
#include "cuda/axis/segment_ranges.cuh"
#include "cuda/runtime/programmatic_launch.hpp"

namespace foldline::cuda {

/// What the result of a segment of n elements depends on besides sums, of which none is in more than `chain`
/// additions one after another.
template <class Sums>
__device__ __forceinline__ BoundedTask bounded_task(const SegmentsTask& task, int n, int chain) {
  const AxisTask& axis = task.axis;
  const double count = n, degrees = static_cast<double>(n - axis.ddof), squared = count * degrees;
  const auto log2 = [](int x) { return 31 - __clz(x); };
  BoundedTask bounded{
      axis.operation,
      axis.out_type,
      {count, static_cast<double>(chain) * static_cast<double>(chain) * 0x1p-104, log2(n) + log2(chain) + 2},
      {count, 0},
      {squared, 0},
      degrees,
      axis.direct.nan};
  const bool divides = axis.operation != Operation::sum && axis.operation != Operation::abs_sum &&
                       axis.operation != Operation::two_norm;
  if (divides) bounded.count.inverse = __drcp_rn(count);
  if (divides) bounded.squared_count.inverse = __drcp_rn(squared);
  return bounded;
}

/// Stores the result of segment i if its sums are certain of it.
template <class Sums>
__device__ __forceinline__ bool store_if_certain(const SegmentsTask& task, const Sums& sums, std::int64_t i,
                                                 int n, int chain) {
  const AxisTask& axis = task.axis;
  std::byte* const out = axis.out + i * axis.axes[0].out_stride;
  std::uint64_t bits = 0;
  if (n < task.fewest) {
    const bool is_zero = axis.operation == Operation::sum || axis.operation == Operation::abs_sum ||
                         axis.operation == Operation::two_norm;
    if (axis.is_integer && !is_zero) return false;
    bits = is_zero ? 0 : axis.direct.nan;
  } else {
    const BoundedTask bounded = bounded_task<Sums>(task, n, chain);
    if constexpr (takes_integers<Sums>) {
      if (!integer_result(axis, bounded, n, sums, bits)) return false;
    } else {
      if (!bounded_result(sums, bounded, bits)) return false;
    }
  }
  store_bits(out, bits, axis.out_bytes);
  return true;
}

/// The element that a thread of at least 32 adds to whole pieces of 16 bytes: one before the first of these,
/// one behind the last, or none.
template <class Sums>
__device__ __forceinline__ BitsOf<typename Sums::Element> element_of_ends(
    const RowPieces<typename Sums::Element>& row, const std::byte* x, int length, int thread,
    BitsOf<typename Sums::Element> fill) {
  using T = typename Sums::Element;
  static_assert(2 * row.width <= 32);
  const int head = min(row.first_whole() * row.width - row.before * row.first_whole(), length);
  const int behind = max(row.end_of_whole() * row.width - row.before, head);
  const int i = thread < head ? thread : thread - head + behind;
  return i < length ? bits_of_element<T>(x + i * static_cast<int>(sizeof(T))) : fill;
}

/// The sums of a thread of `step`, a warp or more, that share a segment.
template <class Sums>
__device__ __forceinline__ Sums sums_of_segment(const SegmentsTask& task, std::int64_t first, int length,
                                                int thread, int step) {
  using T = typename Sums::Element;
  const std::byte* const x = task.axis.x + first * static_cast<int>(sizeof(T));
  const RowPieces<T> row(x, length);
  const auto start = Sums::takes_first && length != 0 ? *reinterpret_cast<const BitsOf<T>*>(x) : BitsOf<T>{};
  const auto fill = filling<Sums>(task.axis, start);
  const auto shift = shift_of<Sums>(task.axis, start);
  // A word of integers.
  BitsOf<T> own[takes_integers<Sums> && sizeof(T) < 4 ? 4 / sizeof(T) : 1];
  for (BitsOf<T>& element : own) element = fill;
  own[0] = element_of_ends<Sums>(row, x, length, thread, fill);
  Sums sums = sums_of_whole_pieces<Sums, 2>(row, thread, step, Piece<T>::of(fill), shift);
  add_column(sums, own, shift);
  return sums;
}
template <class Sums>
__device__ __forceinline__ Sums sums_of_warp(const SegmentsTask& task, std::int64_t first, int length) {
  Sums sums = sums_of_segment<Sums>(task, first, length, lane(), 32);
  for (int distance = 16; distance > 0; distance /= 2) sums.merge_lane(distance);
  return sums;
}

/// Threads of a block. Where a warp has a segment, a block is at an end when its longest is: so it has few.
template <bool ByParts>
inline constexpr int threads_of = ByParts ? direct_threads : 64;
/// Blocks of a multiprocessor: fewer warps, each of which waits for more bytes at once.
template <bool ByParts>
inline constexpr int blocks_of = ByParts ? 4 : 12;

/// Puts the shares of a segment on the list; false if it is too short for one, or the list is full.
__device__ __forceinline__ bool leave_to_blocks(const SegmentsTask& task, std::int64_t i, int length) {
  if (length <= longest_of_warp) return false;
  SegmentLists& lists = *task.lists;
  const auto shares = static_cast<unsigned>((length - 1) / task.share + 1);
  const unsigned first = atomicAdd(&lists.count, shares);
  const bool fits = first + shares <= SegmentLists::capacity;
  const unsigned end = min(first + shares, static_cast<unsigned>(SegmentLists::capacity));
  for (unsigned at = first; at < end; ++at) lists.share[at] = {fits ? i : -1, first, shares, 0};
  return fits;
}

/// A warp's group of segments, of which it, or parts of it, take one each at a time: each lane of a part
/// rounds another one.
template <class Sums, bool ByParts>
__device__ __forceinline__ void reduce_segments_of_warp(const SegmentsTask& task, std::int64_t first) {
  const int log_lanes = ByParts ? task.log_lanes : 5, lanes = 1 << log_lanes;
  const int own = lane() & (lanes - 1), at_once = 32 >> log_lanes, of_warp = lane() >> log_lanes;
  constexpr int width = sizeof(typename Sums::Element);
  const std::int64_t most = ByParts ? lanes * (bytes_of_lane / width) : longest_of_warp;
  Sums mine;
  SegmentRange range_of_mine;
  // Each lane looks for one segment, so that the warp waits for offsets once.
  const int in_warp = at_once * task.vectors_in_turn;
  const SegmentRange found = lane() < in_warp ? range_of(task, first + lane()) : SegmentRange{};
  for (int turn = 0; turn < task.vectors_in_turn; ++turn) {
    const int of_turn = turn * at_once + of_warp;
    const std::int64_t index = first + of_turn;
    SegmentRange range = {__shfl_sync(all_lanes, found.first, of_turn),
                          __shfl_sync(all_lanes, found.length, of_turn),
                          __shfl_sync(all_lanes, found.is_there ? 1 : 0, of_turn) != 0};
    const bool is_long = range.length > most;
    const int length_here = is_long ? 0 : range.length;
    Sums sums;
    if constexpr (ByParts)
      sums = sums_of_row<Sums>(task.axis, task.axis.x + range.first * width, length_here, own, lanes);
    else
      sums = sums_of_segment<Sums>(task, range.first, length_here, own, 32);
    for (int distance = 1; distance < lanes; distance *= 2) sums.merge_lane(distance);
    for (unsigned left = __ballot_sync(all_lanes, is_long && own == 0); left != 0; left &= left - 1) {
      const int of = __ffs(static_cast<int>(left)) - 1;
      const int length = __shfl_sync(all_lanes, range.length, of);
      const bool is_left =
          __shfl_sync(all_lanes, lane() == of && leave_to_blocks(task, index, length) ? 1 : 0, of) != 0;
      const bool is_own = of_warp == of >> log_lanes;
      if (is_left) {
        if (is_own) range.is_there = false;
        continue;
      }
      const Sums all = sums_of_warp<Sums>(task, __shfl_sync(all_lanes, range.first, of), length);
      if (is_own) sums = all;
    }
    if (own == turn) {
      mine = sums;
      range_of_mine = range;
    }
  }
  const std::int64_t index = first + own * at_once + of_warp;
  const bool is_mine = own < task.vectors_in_turn && range_of_mine.is_there;
  const int length = range_of_mine.length;
  bool fails =
      is_mine && !store_if_certain(task, mine, index, length, length / (length > most ? 32 : lanes) + 64);
  if constexpr (Sums::can_try_again) {
    for (unsigned failing = __ballot_sync(all_lanes, fails); failing != 0; failing &= failing - 1) {
      const int of = __ffs(static_cast<int>(failing)) - 1;
      const Again<Sums> sums = sums_of_warp<Again<Sums>>(
          task, __shfl_sync(all_lanes, range_of_mine.first, of), __shfl_sync(all_lanes, length, of));
      if (lane() == of) fails = !store_if_certain(task, sums, index, length, length / 32 + 64);
    }
  }
  if (fails) retry(task.axis, index);
}

template <class Sums, bool ByParts>
__global__ void __launch_bounds__(threads_of<ByParts>, blocks_of<ByParts>)
    segments_kernel(const __grid_constant__ SegmentsTask task) {
  wait_for_previous_launch();
  allow_dependent_launch();
  constexpr int warps = threads_of<ByParts> / 32;
  const int unit = (32 >> task.log_lanes) * task.vectors_in_turn;
  for (std::int64_t first = (std::int64_t{blockIdx.x} * warps + warp()) * unit; first < task.count;
       first += std::int64_t{gridDim.x} * warps * unit)
    reduce_segments_of_warp<Sums, ByParts>(task, first);
}

/// A block's share of a segment. The last block to finish one has the result.
template <class Sums>
__device__ __forceinline__ void reduce_share(const SegmentsTask& task, unsigned at) {
  __shared__ bool is_last;
  const int thread = static_cast<int>(threadIdx.x);
  SegmentShare* const list = task.lists->share;
  const SegmentShare share = list[at];
  const auto shares = static_cast<int>(share.shares);
  const SegmentRange range = range_of(task, share.segment);
  Sums sums = sums_of_segment<Sums>(task, range.first, range.length,
                                    static_cast<int>(at - share.first) * direct_threads + thread,
                                    shares * direct_threads);
  merge_block(sums);
  if (shares > 1) {
    Sums* const parts = reinterpret_cast<Sums*>(task.axis.direct.parts);
    if (thread == 0) {
      parts[at] = sums;
      __threadfence();
      is_last = take_ticket(list[share.first].finished) == share.shares - 1;
    }
    __syncthreads();
    if (!is_last) return;
    sums = Sums{};
    for (int of = thread; of < shares; of += direct_threads) sums.merge(parts[share.first + of]);
    merge_block(sums);
  }
  const int chain = range.length / (direct_threads * shares) + shares + 64;
  bool fails = thread == 0 && !store_if_certain(task, sums, share.segment, range.length, chain);
  if constexpr (Sums::can_try_again) {
    if (shares == 1 && __syncthreads_or(fails)) {
      Again<Sums> again =
          sums_of_segment<Again<Sums>>(task, range.first, range.length, thread, direct_threads);
      merge_block(again);
      fails = thread == 0 && !store_if_certain(task, again, share.segment, range.length, chain);
    }
  }
  if (fails) retry(task.axis, share.segment);
}

template <class Sums>
__global__ void __launch_bounds__(direct_threads, 4)
    long_segments_kernel(const __grid_constant__ SegmentsTask task) {
  wait_for_previous_launch();
  allow_dependent_launch();
  __shared__ unsigned next;
  SegmentLists& lists = *task.lists;
  const unsigned count = min(lists.count, static_cast<unsigned>(SegmentLists::capacity));
  while (count != 0) {
    __syncthreads();
    if (threadIdx.x == 0) next = atomicAdd(&lists.next, 1u);
    __syncthreads();
    const unsigned at = next;
    if (at >= count) break;
    if (lists.share[at].segment >= 0) reduce_share<Sums>(task, at);
  }
  if (threadIdx.x == 0 && take_ticket(lists.finished_blocks) == gridDim.x - 1)
    lists.count = lists.next = lists.finished_blocks = 0;
}

template <class Sums, bool ByParts>
void launch_segments_of(const SegmentsTask& task, cudaStream_t stream) {
  static_assert(sizeof(Sums) <= bytes_of_sums);
  constexpr auto doing = "starting a reduction of segments";
  constexpr std::int64_t most_blocks = std::int64_t{1} << 30;
  constexpr int threads = threads_of<ByParts>;
  const std::int64_t unit = std::int64_t{threads >> task.log_lanes} * task.vectors_in_turn;
  void* arguments[] = {const_cast<SegmentsTask*>(&task)};
  launch_programmatically(reinterpret_cast<const void*>(&segments_kernel<Sums, ByParts>),
                          {.blocks = grid_of(std::min((task.count - 1) / unit + 1, most_blocks), doing),
                           .threads = dim3(threads),
                           .stream = stream},
                          arguments, doing);
  launch_programmatically(
      reinterpret_cast<const void*>(&long_segments_kernel<Sums>),
      {.blocks = grid_of(task.blocks, doing), .threads = dim3(direct_threads), .stream = stream}, arguments,
      doing);
}

template <class T>
void launch_segments_of_type(const SegmentsTask& task, cudaStream_t stream) {
  with_direct_sums<T>(task.axis.operation, [&]<class Sums>() {
    if (task.log_lanes < 5)
      launch_segments_of<Sums, true>(task, stream);
    else
      launch_segments_of<Sums, false>(task, stream);
  });
}

}  // namespace foldline::cuda
