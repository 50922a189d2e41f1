#include "cuda/axis/axis_launch.hpp"

#include "cuda/axis/segments_task.hpp"

namespace foldline::cuda {

namespace {
constexpr std::size_t failure_bytes = 16;  // counts are read 16 bytes at a time
static_assert(sizeof *AxisTask::failure <= failure_bytes);
constexpr std::size_t before_parts = failure_bytes + max_split_results * sizeof *AxisTask::tickets;
constexpr std::size_t before_retries = before_parts + direct_part_bytes;
constexpr std::size_t before_counts = before_retries + sizeof(RetryList);
constexpr std::size_t before_lists =
    before_counts + max_split_results * column_words * sizeof *AxisTask::counts;
constexpr std::size_t before_totals = before_lists + sizeof(SegmentLists);

void launch_direct_integers(const AxisTask& task, cudaStream_t stream) {
  switch (size_of(task.type)) {
    case 1:
      return launch_direct_int8(task, stream);
    case 2:
      return launch_direct_int16(task, stream);
    case 4:
      return launch_direct_int32(task, stream);
    default:
      return launch_direct_int64(task, stream);
  }
}
}  // namespace

std::size_t split_memory_bytes(const AxisTask& task) {
  if (task.direct.layout != DirectLayout::none) return segment_memory_bytes();
  const std::size_t results = task.splits == 1 ? 0 : static_cast<std::size_t>(task.results);
  return before_totals + results * axis_totals_bytes;
}

std::size_t segment_memory_bytes() {
  return before_totals + static_cast<std::size_t>(max_retried_totals) * axis_totals_bytes;
}
SegmentLists* segment_lists(std::byte* memory) {
  return reinterpret_cast<SegmentLists*>(memory + before_lists);
}

std::size_t max_split_memory_bytes() { return before_totals + max_split_results * axis_totals_bytes; }

void attach_split_memory(AxisTask& task, std::byte* memory) {
  task.failure = reinterpret_cast<unsigned long long*>(memory);
  task.tickets = reinterpret_cast<unsigned*>(memory + failure_bytes);
  task.direct.parts = memory + before_parts;
  task.direct.retries = reinterpret_cast<RetryList*>(memory + before_retries);
  task.counts = reinterpret_cast<unsigned long long*>(memory + before_counts);
  task.totals = reinterpret_cast<AxisTotals*>(memory + before_totals);
}

void launch_axis(const AxisTask& task, cudaStream_t stream) {
  if (task.direct.layout != DirectLayout::none) {
    if (task.type == ElementType::float64)
      launch_direct_float64(task, stream);
    else if (task.type == ElementType::float32)
      launch_direct_float32(task, stream);
    else if (is_floating(task.type))
      launch_direct_16_bits(task, stream);
    else
      launch_direct_integers(task, stream);
    if (task.direct.is_certain) return;
  }
  if (task.vec16s != 0)
    launch_columns(task, stream);
  else if (task.aligned && task.type == ElementType::float64)
    launch_axis_float64(task, stream);
  else if (task.aligned && task.type == ElementType::float32)
    launch_axis_float32(task, stream);
  else
    launch_axis_any(task, stream);
}

}  // namespace foldline::cuda
