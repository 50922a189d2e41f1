// Reductions of segments by exact sums, and a look at the offsets. Levels as in axis_any.cu and
// axis_float64.cu.
#include "cuda/axis/segments_exact.cuh"
#include "cuda/device/item_loop.cuh"

namespace foldline::cuda {

namespace {

template <class Element, int Size, int ValueLevels, int ProductLevels, bool ProductsAreDoubles>
void launch(const SegmentsTask& task, cudaStream_t stream) {
  launch_axis_operation<Element, Size, ValueLevels, ProductLevels, ProductsAreDoubles, LaunchSegmentsExactly>(
      task, task.axis.operation, stream);
}

__global__ void check_offsets(const __grid_constant__ SegmentsTask task) {
  SegmentLists& lists = *task.lists;
  unsigned long long wrong = 0, longest = 0;
  for (std::int64_t i = first_item(); i <= task.count; i += item_step()) {
    const std::int64_t before = i == 0 ? 0 : offset_at(task, i - 1), own = offset_at(task, i);
    if (own < before || own > task.values || own < 0)
      wrong = max(wrong, ~static_cast<unsigned long long>(i));
    else if (i != 0)
      longest = max(longest, static_cast<unsigned long long>(own - before));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    wrong = max(wrong, __shfl_xor_sync(all_lanes, wrong, distance));
    longest = max(longest, __shfl_xor_sync(all_lanes, longest, distance));
  }
  if (lane() != 0) return;
  if (wrong != 0) atomicMax(&lists.wrong, wrong);
  if (longest > *static_cast<volatile unsigned long long*>(&lists.longest))
    atomicMax(&lists.longest, longest);
}

}  // namespace

void launch_segments_exactly(const SegmentsTask& task, cudaStream_t stream) {
  if (task.axis.aligned && task.axis.type == ElementType::float64)
    launch<double, axis_batch(ElementType::float64, true), 2, 4, false>(task, stream);
  else
    launch<AnyElement, axis_batch(ElementType::float64, false), 3, 3, false>(task, stream);
}

void launch_check_of_offsets(const SegmentsTask& task, cudaStream_t stream) {
  launch_for_items(&check_offsets, task.count + 1, stream, "looking at offsets", task);
}

}  // namespace foldline::cuda
