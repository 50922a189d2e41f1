// Plans how the threads of a device share a reduction along an axis.
#include "cuda/axis/axis_task.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "results/rounded_results.hpp"

namespace foldline::cuda {

namespace {

int log2_of_next_power(std::int64_t x) {
  return x <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x - 1)));
}

/// The number of splits of each of `groups` groups of vectors, which take `steps` steps of a block; `at_once`
/// blocks are resident.
int slices_of(const AxisTask& task, std::int64_t groups, std::int64_t steps, std::int64_t at_once) {
  if (task.results > most_shared_results) return 1;
  // Either all blocks are resident at once, or so many that an uneven end does not matter.
  const std::int64_t slices = groups * 8 <= at_once ? std::min(at_once / groups, steps)
                                                    : std::min((8 * at_once - 1) / groups + 1, steps / 8);
  return static_cast<int>(std::max<std::int64_t>(slices, 1));
}

/// True if the kernel for column sums can do the task.
bool has_quads(const AxisTask& task) {
  const Needs needs = needs_of(task.operation);
  const bool sums = (needs.values || needs.magnitudes) && !needs.squares && !needs.extrema;
  const std::int64_t width = size_of(task.type);
  return sums && (task.type == ElementType::float64 || task.type == ElementType::float32) &&
         task.axis_count == 1 && task.axes[0].stride == width && task.length > 0 &&
         task.results % (16 / width) == 0 && task.stride % 16 == 0 &&
         reinterpret_cast<std::uintptr_t>(task.x) % 16 == 0;
}

/// Plans how the blocks share sums of columns.
void share_columns(AxisTask& task, const DeviceSize& device) {
  const std::int64_t elements = 16 / size_of(task.type);
  task.all_quads = task.results / elements;
  const auto groups_of = [&](std::int64_t most) { return (task.all_quads - 1) / most + 1; };
  constexpr int line_bytes = 128;
  const bool begins_in_line = reinterpret_cast<std::uintptr_t>(task.x) % line_bytes == 0;
  const bool in_lines = task.stride % line_bytes == 0 && begins_in_line;
  // If rows are not whole cache lines, a block takes a longer part of each row, since the part begins and
  // ends within a line: up to 1.5 times as fast. Where rows are whole lines this costs 1 %.
  const bool is_wide = !in_lines && device.shared_bytes >= shared_bytes_for_wide;
  std::int64_t most = (is_wide ? most_columns_if_wide : most_columns) / elements;
  // Enough blocks for every multiprocessor, but whole cache lines for each.
  while (most > 8 && task.results > most_shared_results && groups_of(most) < 6 * device.multiprocessors)
    most /= 2;
  const std::int64_t groups = groups_of(most);
  task.quads = static_cast<int>((task.all_quads - 1) / groups + 1);
  const std::int64_t rows = axis_threads / task.quads, at_once = 2 * device.multiprocessors;
  const auto steps_of = [&](int loads) { return (task.length - 1) / (rows * loads) + 1; };
  const auto slices = [&](int loads) {
    return std::min(slices_of(task, groups, steps_of(loads), at_once), max_column_slices);
  };
  // Keep in L2 what the cache can hold with room to spare, so that the next call that reads the same array
  // finds it there.
  task.stays = task.results <= (device.l2_bytes - device.l2_bytes / 8) / (task.length * size_of(task.type));
  // Reading ahead is fastest where each thread stays within whole cache lines, and either the matrix may be
  // in the cache (two tiles ahead) or every block has all rows (four tiles ahead). Otherwise more rows at a
  // time are faster if a block has several steps of them.
  constexpr std::int64_t several = 4;
  // Rows without gaps, a power of two of which fill a line, also keep threads within lines.
  const bool is_one_piece = groups == 1 && task.stride == task.quads * 16 && begins_in_line;
  const bool are_threads_in_lines =
      (is_one_piece || (in_lines && task.quads * 16 % line_bytes == 0)) && axis_threads % task.quads == 0;
  if (are_threads_in_lines && (task.stays || task.results > most_shared_results))
    task.read = task.stays ? ColumnRead::two_ahead : ColumnRead::four_ahead;
  else if (task.results > most_shared_results)
    task.read = ColumnRead::otherwise;
  else
    task.read = groups * steps_of(many_column_loads) >= several * at_once &&
                        steps_of(many_column_loads) >= several * slices(many_column_loads)
                    ? ColumnRead::many_rows
                    : ColumnRead::otherwise;
  task.slices = slices(task.read == ColumnRead::many_rows ? many_column_loads : column_loads);
  task.shards = static_cast<int>(std::clamp<std::int64_t>(
      std::min<std::int64_t>(task.slices / 16, most_shared_results / task.results), 1, most_column_shards));
  // With more groups, the last block by ticket is as fast.
  constexpr std::int64_t most_groups_that_wait = 2;
  task.waits = task.slices > 1 && groups <= most_groups_that_wait && groups * task.slices <= at_once;
}

/// Plans how the threads of the device share the work: see AxisTask.
void share_work(AxisTask& task, const DeviceSize& device) {
  constexpr int log_threads = std::countr_zero(unsigned{axis_threads});
  const int most = log2_of_next_power(most_vectors(task.operation));
  const ResultAxis* const nearest = task.axis_count == 0 ? nullptr : task.axes + task.axis_count - 1;
  task.vectors_first = nearest != nullptr && std::abs(nearest->stride) < std::abs(task.stride);
  if (task.vectors_first) {
    task.log_vectors = most;
    // Enough blocks for every multiprocessor, but whole sectors of memory for each.
    while (task.log_vectors > 4 && task.results > most_shared_results &&
           task.results >> task.log_vectors < 2 * device.multiprocessors)
      --task.log_vectors;
  } else {
    constexpr int batches = 4;  // per thread: enough that the combination afterwards costs little
    const int log_lanes = log2_of_next_power(task.length / (batches * axis_batch(task.type, task.aligned)));
    task.log_vectors = std::clamp(log_threads - log_lanes, 0, most);
  }
  task.log_vectors = std::min(task.log_vectors, log2_of_next_power(task.results));

  const std::int64_t groups = ((task.results - 1) >> task.log_vectors) + 1;
  const std::int64_t step =
      std::int64_t{axis_threads >> task.log_vectors} * axis_batch(task.type, task.aligned);
  const std::int64_t steps = (task.length + step - 1) / step;
  task.slices = slices_of(task, groups, steps, 3 * device.multiprocessors);
}

}  // namespace

AxisTask axis_task(const AxisReduction& reduction, const DeviceSize& device) {
  const std::int64_t width = size_of(reduction.terms.type()), out_width = size_of(reduction.out_type);
  AxisTask task{};
  task.x = reduction.terms.size() == 0 ? nullptr : reduction.terms.at(0);
  task.stride = reduction.terms.stride() * width;
  task.length = static_cast<int>(reduction.terms.size());
  task.type = reduction.terms.type();
  for (const ResultAxis& axis : reduction.axes)
    task.axes[task.axis_count++] = {axis.extent, axis.stride * width, axis.out_stride * out_width};
  task.results = reduction.results;
  task.operation = reduction.operation;
  task.ddof = reduction.ddof;
  task.out = reduction.out;
  task.out_type = reduction.out_type;
  task.out_bytes = static_cast<int>(out_width);
  task.whole = !is_floating(reduction.out_type);
  task.wrap = reduction.overflow == Overflow::wrap;
  task.format = format_of(reduction.out_type);
  task.integer_format = integer_format_of(reduction.out_type);
  const auto address = reinterpret_cast<std::uintptr_t>(task.x);
  task.aligned = address % static_cast<std::uintptr_t>(width) == 0;
  if (has_quads(task))
    share_columns(task, device);
  else
    share_work(task, device);
  return task;
}

}  // namespace foldline::cuda
