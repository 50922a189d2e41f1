// Plans reductions along an axis by sums in doubles.
#include <algorithm>
#include <bit>

#include "cuda/axis/axis_task.hpp"

namespace foldline::cuda {

namespace {

constexpr std::int64_t piece_bytes = 16;

int log2_below(std::int64_t x) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1; }
int log2_above(std::int64_t x) { return x <= 1 ? 0 : log2_below(x - 1) + 1; }

/// Whether sums in doubles can tell the results of the task for certain, or it needs no sums.
bool suits_direct_kernels(const AxisTask& task) {
  const Needs needs = needs_of(task.operation);
  if (!is_floating(task.type) || task.is_integer || !task.aligned) return false;
  if (!needs.extrema && task.type != ElementType::float64 && task.out_type == ElementType::float64)
    return false;
  if (task.length < 1 || task.results < 1) return false;
  const bool is_spread = needs.values && needs.squares;
  return !is_spread || (task.length <= longest_direct_spread && task.ddof >= 0 && task.ddof < task.length);
}

/// Whether no result can be uncertain: extrema, and sums of float16, which are multiples of 2^-24 below
/// 2^(16 + 28), so that two doubles hold them. A mean is a multiple of 2^-24 by its length: so far from where
/// results change that no bound reaches there.
bool tells_all_results(const AxisTask& task) {
  constexpr int longest_mean = 512;
  const Needs needs = needs_of(task.operation);
  if (needs.extrema) return true;
  if (task.type != ElementType::half || needs.squares) return false;
  return task.operation != Operation::mean || task.length <= longest_mean;
}

void plan_short_rows(AxisTask& task, const DeviceLimits& device, std::int64_t bytes) {
  DirectPlan& plan = task.direct;
  plan.layout = DirectLayout::short_rows;
  plan.unit = 32;
  plan.vectors_in_turn = 1;
  // Enough bytes on their way for each warp, and enough warps.
  constexpr std::int64_t enough_bytes = 2048, warps = 16;
  while (plan.vectors_in_turn < 8 && 32 * plan.vectors_in_turn * bytes < enough_bytes &&
         task.results / (64 * plan.vectors_in_turn) >= warps * device.multiprocessors)
    plan.vectors_in_turn *= 2;
}

void plan_rows(AxisTask& task, const DeviceLimits& device, std::int64_t bytes) {
  DirectPlan& plan = task.direct;
  plan.layout = DirectLayout::rows;
  const std::int64_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  constexpr std::int64_t of_thread = 4;  // at a time
  constexpr std::int64_t times = 2;      // so that merging costs little
  const bool has_few = task.results < 64 * std::int64_t{device.multiprocessors};
  if (pieces >= 2048 || (has_few && pieces >= 2 * direct_threads)) {
    plan.log_lanes = log2_below(direct_threads);
    plan.unit = 1;
    const std::int64_t blocks = 4 * std::int64_t{device.multiprocessors};
    if (task.results < blocks)
      plan.splits = static_cast<int>(std::clamp<std::int64_t>(
          std::min(blocks / task.results, pieces / (of_thread * direct_threads)), 1, 1024));
    return;
  }
  constexpr int least = 2;  // so that neighbouring threads read 64 bytes
  plan.log_lanes = std::clamp(log2_below(std::max<std::int64_t>(pieces / (of_thread * times), 1)),
                              pieces >= of_thread << least ? least : 0, 5);
  const std::int64_t at_once = 32 >> plan.log_lanes;
  plan.vectors_in_turn = 1 << plan.log_lanes;
  while (plan.vectors_in_turn > 1 &&
         task.results / (at_once * plan.vectors_in_turn) < 32 * std::int64_t{device.multiprocessors})
    plan.vectors_in_turn /= 2;
  plan.unit = static_cast<int>(at_once * plan.vectors_in_turn);
}

void plan_columns(AxisTask& task, const DeviceLimits& device, std::int64_t columns_of_thread) {
  DirectPlan& plan = task.direct;
  plan.layout = DirectLayout::columns;
  plan.unit = static_cast<int>(columns_of_thread);
  plan.lowest_byte = 0;
  plan.end_byte = size_of(task.type);
  const auto include = [&](std::int64_t last) { (last < 0 ? plan.lowest_byte : plan.end_byte) += last; };
  include((task.length - 1) * task.stride);
  for (int i = 0; i < task.axis_count; ++i) include((task.axes[i].extent - 1) * task.axes[i].stride);
  const std::int64_t extent = task.axes[task.axis_count - 1].extent, outer = task.results / extent;
  if (task.length <= max_few_rows) {
    columns_of_thread = piece_bytes / size_of(task.type);
    plan.layout = DirectLayout::few_rows;
    plan.unit = static_cast<int>(columns_of_thread);
    plan.log_lanes = log2_below(direct_threads);
    plan.groups = (extent - 1) / (columns_of_thread << plan.log_lanes) + 1;
    return;
  }
  const std::int64_t threads = (extent - 1) / columns_of_thread + 1;
  // Twice as many as are resident, or as many if they share columns.
  const std::int64_t enough = 4 * std::int64_t{device.multiprocessors};
  const auto groups = [&] { return outer * (((threads - 1) >> plan.log_lanes) + 1); };
  plan.log_lanes = std::min(log2_above(threads), log2_below(direct_threads));
  while (plan.log_lanes > 5 && groups() < enough && direct_threads >> plan.log_lanes < task.length / 8)
    --plan.log_lanes;
  const std::int64_t rows = direct_threads >> plan.log_lanes, most_rows_at_a_time = 8;
  const std::int64_t parts =
      static_cast<std::int64_t>(direct_part_bytes) / ((columns_of_thread << plan.log_lanes) * bytes_of_sums);
  plan.groups = ((threads - 1) >> plan.log_lanes) + 1;
  if (groups() < enough && groups() <= max_split_results)
    plan.splits = static_cast<int>(std::max<std::int64_t>(
        std::min({enough / 2 / groups(), parts / groups(), task.length / (rows * most_rows_at_a_time)}), 1));
}

}  // namespace

std::uint64_t nan_bits(ElementType type) {
  switch (type) {
    case ElementType::half:
      return 0x7e00;
    case ElementType::bfloat16:
      return 0x7fc0;
    case ElementType::float32:
      return 0x7fc0'0000;
    default:
      return canonical_nan;
  }
}

void plan_direct(AxisTask& task, const DeviceLimits& device) {
  if (!suits_direct_kernels(task)) return;
  task.direct.splits = 1;
  task.direct.retry_blocks = 3 * device.multiprocessors;
  const std::int64_t width = size_of(task.type), bytes = task.length * width;
  const ResultAxis* const nearest = task.axis_count == 0 ? nullptr : task.axes + task.axis_count - 1;
  if (task.stride == width || task.length == 1) {
    if (task.axis_count == 1 && nearest->stride == bytes && bytes <= longest_short_row)
      plan_short_rows(task, device, bytes);
    else
      plan_rows(task, device, bytes);
  } else if (nearest != nullptr && nearest->stride == width && nearest->extent > 1) {
    plan_columns(task, device, width == 8 ? 2 : 4);
  } else {
    return;
  }
  // Up to 32 elements of a thread more than of another, and its sums are merged at most 16 times in a block
  // and once with each other one.
  DirectPlan& plan = task.direct;
  const std::int64_t sharing = plan.layout == DirectLayout::short_rows ? 1
                               : plan.layout == DirectLayout::rows     ? std::int64_t{1} << plan.log_lanes
                                                                       : direct_threads >> plan.log_lanes;
  const std::int64_t chain = task.length / (sharing * plan.splits) + plan.splits + 64;
  plan.log2_errors = log2_below(task.length) + log2_below(chain) + 2;
  plan.errors = static_cast<double>(chain) * static_cast<double>(chain) * 0x1p-104;
  plan.nan = nan_bits(task.out_type);
  plan.count = static_cast<double>(task.length);
  plan.inverse_count = 1 / plan.count;
  plan.is_certain = tells_all_results(task);
  plan.squared_count = plan.count * static_cast<double>(task.length - task.ddof);
  plan.inverse_squared_count = 1 / plan.squared_count;
}

}  // namespace foldline::cuda
