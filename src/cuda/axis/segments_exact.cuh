// Reductions of segments by the general kernel's exact sums: of those that sums in doubles are not certain
// of, or of all. Where there are few, blocks share each.
#pragma once

#include "cuda/axis/axis_kernel.cuh"
#include "cuda/axis/segment_ranges.cuh"

namespace foldline::cuda {

/// Segment i as the only vector of a task, made by a block in its shared memory.
__device__ __forceinline__ void make_task(AxisTask& own, const SegmentsTask& task, const SegmentRange& range,
                                          std::int64_t i) {
  static_assert(sizeof(AxisTask) % 8 == 0);
  auto* const to = reinterpret_cast<std::uint64_t*>(&own);
  const auto* const from = reinterpret_cast<const std::uint64_t*>(&task.axis);
  for (unsigned word = threadIdx.x; word < sizeof(AxisTask) / 8; word += axis_threads) to[word] = from[word];
  __syncthreads();
  if (threadIdx.x == 0) {
    own.x += range.first * task.axis.stride;
    own.length = range.length;
    own.results = i + 1;
  }
  __syncthreads();
}

template <class Element, int Size, class Sums>
__global__ void __launch_bounds__(axis_threads, 3)
    segments_exact_kernel(const __grid_constant__ SegmentsTask task) {
  __shared__ alignas(16) std::byte memory_of_task[sizeof(AxisTask)];
  AxisTask& own = *reinterpret_cast<AxisTask*>(memory_of_task);
  wait_for_previous_launch();
  allow_dependent_launch();
  RetryList& list = *task.axis.direct.retries;
  const unsigned listed = *static_cast<const volatile unsigned*>(&list.count);
  const bool all = !task.is_direct || listed > RetryList::capacity;
  const std::int64_t count = all ? task.count : listed, blocks = gridDim.x, block = blockIdx.x;
  const bool shares = count <= max_retried_totals && 2 * count <= blocks;
  constexpr int enough = 1 << 12;  // elements of a part
  for (std::int64_t i = shares && count != 0 ? block % count : block; i < count; i += blocks) {
    const std::int64_t segment = all ? i : list.first[i];
    const SegmentRange range = range_of(task, segment);
    const int splits = shares ? max(1, min(static_cast<int>(blocks / count), range.length / enough)) : 1;
    const int split = shares ? static_cast<int>(block / count) : 0;
    if (range.is_there && split < splits) {
      make_task(own, task, range, segment);
      reduce_group<Element, Size, Sums>(own, {segment, i, 0, split, splits, static_cast<unsigned>(i)});
      __syncthreads();
    }
    if (shares) break;
  }
  if (!task.is_direct) return;
  __syncthreads();
  if (threadIdx.x == 0 && take_ticket(list.finished_blocks) == gridDim.x - 1)
    list.count = list.finished_blocks = 0;
}

/// Launches the kernel for sums that launch_axis_operation chose.
struct LaunchSegmentsExactly {
  template <class Element, int Size, class Sums>
  static void run(const SegmentsTask& task, cudaStream_t stream) {
    constexpr auto doing = "starting a reduction of segments";
    const std::int64_t resident = task.axis.direct.retry_blocks;
    void* arguments[] = {const_cast<SegmentsTask*>(&task)};
    launch_programmatically(
        reinterpret_cast<const void*>(&segments_exact_kernel<Element, Size, Sums>),
        {.blocks = grid_of(task.is_direct ? resident : std::min(4 * resident, std::max(task.count, resident)),
                           doing),
         .threads = dim3(axis_threads),
         .shared_bytes = static_cast<std::size_t>(AxisBlock<Sums>::bytes(1)),
         .stream = stream},
        arguments, doing);
  }
};

}  // namespace foldline::cuda
