// Plans reductions of segments on a device.
#include "cuda/axis/segments_task.hpp"

#include <algorithm>

#include "cuda/axis/axis_launch.hpp"

namespace foldline::cuda {

namespace {

/// Threads that share a segment of the mean length, by the pieces of 16 bytes that it has.
int log_lanes_for(std::int64_t mean_bytes) {
  const std::int64_t pieces = (mean_bytes + 15) / 16;
  return pieces <= 4 ? 0 : pieces <= 16 ? 2 : pieces <= 32 ? 3 : pieces <= 64 ? 4 : 5;
}

/// Whether the direct kernels have sums, or extrema, for the task.
bool suits_direct_kernels(const AxisTask& task) {
  if (!task.aligned || task.stride != size_of(task.type)) return false;
  if (is_floating(task.type)) return !task.is_integer;
  const Needs needs = needs_of(task.operation);
  if (needs.magnitudes && is_signed(task.type)) return false;
  return !needs.values || !needs.squares || task.ddof >= 0;
}

}  // namespace

SegmentsTask segments_task(const SegmentReduction& reduction, const DeviceLimits& device, std::byte* memory) {
  const VectorView& values = reduction.values;
  SegmentsTask task{};
  AxisTask& axis = task.axis;
  task.values = values.size();
  task.count = reduction.out.size();
  axis = unplanned_task(
      {.operation = reduction.operation,
       .ddof = reduction.ddof,
       .terms = {values.data(), values.type(), std::min<std::int64_t>(values.size(), 1), values.stride()},
       .axes = {{task.count, 0, reduction.out.stride()}},
       .results = task.count,
       .out = reduction.out.at(0),
       .out_type = reduction.out.type(),
       .overflow = reduction.overflow,
       .failure = nullptr});
  attach_split_memory(axis, memory);
  task.lists = segment_lists(memory);
  task.offsets = reduction.offsets.at(0);
  const std::int64_t offset_bytes = size_of(reduction.offsets.type());
  task.offset_stride = reduction.offsets.stride() * offset_bytes;
  task.wide_offsets = offset_bytes == 8;
  task.signed_offsets = is_signed(reduction.offsets.type());

  task.is_direct = suits_direct_kernels(axis);
  const Needs needs = needs_of(axis.operation);
  task.fewest =
      needs.values && needs.squares ? std::clamp<std::int64_t>(axis.ddof, 0, longest_vector) + 1 : 1;
  axis.direct.flip = flip_of(axis.type);
  axis.direct.nan = nan_bits(axis.out_type);
  axis.direct.retry_blocks = 3 * device.multiprocessors;
  task.log_lanes = log_lanes_for(task.values / task.count * size_of(axis.type));
  task.vectors_in_turn = 1 << task.log_lanes;
  // Several waves of blocks, so that the last one costs little.
  while (task.vectors_in_turn > 1 && task.count / ((32 >> task.log_lanes) * task.vectors_in_turn) <
                                         128 * std::int64_t{device.multiprocessors})
    task.vectors_in_turn /= 2;
  static_assert(SegmentLists::capacity * bytes_of_sums <= direct_part_bytes);
  // The list has room for twice the shares that all values make; segments of less than a share take one, too.
  task.share = std::max(least_share_bytes / size_of(axis.type), 2 * task.values / SegmentLists::capacity + 1);
  task.blocks = 4 * device.multiprocessors;
  return task;
}

void launch_segments(const SegmentsTask& task, cudaStream_t stream) {
  if (task.is_direct) {
    if (task.axis.type == ElementType::float64)
      launch_segments_float64(task, stream);
    else if (task.axis.type == ElementType::float32)
      launch_segments_float32(task, stream);
    else if (is_floating(task.axis.type))
      launch_segments_16_bits(task, stream);
    else
      launch_segments_integers(task, stream);
  }
  launch_segments_exactly(task, stream);
}

}  // namespace foldline::cuda
