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
int split_count(const AxisTask& task, std::int64_t groups, std::int64_t steps, std::int64_t resident_blocks) {
  if (task.results > max_split_results) return 1;
  // Either all blocks are resident at once, or so many that an uneven end does not matter.
  const std::int64_t splits = groups * 8 <= resident_blocks
                                  ? std::min(resident_blocks / groups, steps)
                                  : std::min((8 * resident_blocks - 1) / groups + 1, steps / 8);
  return static_cast<int>(std::max<std::int64_t>(splits, 1));
}

/// True if the kernel for column sums can do the task.
bool suits_columns_kernel(const AxisTask& task) {
  const Needs needs = needs_of(task.operation);
  const bool sums = (needs.values || needs.magnitudes) && !needs.squares && !needs.extrema;
  const std::int64_t width = size_of(task.type);
  return sums && (task.type == ElementType::float64 || task.type == ElementType::float32) &&
         task.axis_count == 1 && task.axes[0].stride == width && task.length > 0 &&
         task.length <= longest_vector && task.results % (16 / width) == 0 && task.stride % 16 == 0 &&
         reinterpret_cast<std::uintptr_t>(task.x) % 16 == 0;
}

/// Whether the L2 cache can hold the vectors with room to spare.
bool fits_in_l2(const AxisTask& task, const DeviceLimits& device) {
  return task.length == 0 ||
         task.results <= (device.l2_bytes - device.l2_bytes / 8) / (task.length * size_of(task.type));
}

/// Plans how the blocks share sums of columns.
void plan_columns_kernel(AxisTask& task, const DeviceLimits& device) {
  const std::int64_t elements = 16 / size_of(task.type);
  task.all_vec16s = task.results / elements;
  const auto groups_of = [&](std::int64_t most) { return (task.all_vec16s - 1) / most + 1; };
  constexpr int line_bytes = 128;
  const bool begins_in_line = reinterpret_cast<std::uintptr_t>(task.x) % line_bytes == 0;
  const bool in_lines = task.stride % line_bytes == 0 && begins_in_line;
  // If rows are not whole cache lines, a block takes a longer part of each row, since the part begins and
  // ends within a line: up to 1.5 times as fast. Where rows are whole lines this costs 1 %.
  const bool is_wide = !in_lines && device.shared_bytes >= shared_bytes_for_wide;
  std::int64_t most = (is_wide ? max_columns_if_wide : max_columns) / elements;
  // Enough blocks for every multiprocessor, but whole cache lines for each.
  while (most > 8 && task.results > max_split_results && groups_of(most) < 6 * device.multiprocessors)
    most /= 2;
  const std::int64_t groups = groups_of(most);
  task.vec16s = static_cast<int>((task.all_vec16s - 1) / groups + 1);
  const std::int64_t rows = axis_threads / task.vec16s, resident_blocks = 2 * device.multiprocessors;
  const auto steps_of = [&](int loads) { return (task.length - 1) / (rows * loads) + 1; };
  const auto splits = [&](int loads) {
    return std::min(split_count(task, groups, steps_of(loads), resident_blocks), max_column_splits);
  };
  // Keep in L2 what the cache can hold, so that the next call that reads the same array finds it there.
  task.keep_in_l2 = fits_in_l2(task, device);
  // Reading ahead is fastest where each thread stays within whole cache lines, and either the matrix may be
  // in the cache (two tiles ahead) or every block has all rows (four tiles ahead). Otherwise more rows at a
  // time are faster if a block has several steps of them.
  constexpr std::int64_t several = 4;
  // Rows without gaps, a power of two of which fill a line, also keep threads within lines.
  const bool is_one_piece = groups == 1 && task.stride == task.vec16s * 16 && begins_in_line;
  const bool are_threads_in_lines =
      (is_one_piece || (in_lines && task.vec16s * 16 % line_bytes == 0)) && axis_threads % task.vec16s == 0;
  if (are_threads_in_lines && (task.keep_in_l2 || task.results > max_split_results))
    task.read = task.keep_in_l2 ? ColumnRead::two_ahead : ColumnRead::four_ahead;
  else if (task.results > max_split_results)
    task.read = ColumnRead::plain;
  else
    task.read = groups * steps_of(many_column_loads) >= several * resident_blocks &&
                        steps_of(many_column_loads) >= several * splits(many_column_loads)
                    ? ColumnRead::many_rows
                    : ColumnRead::plain;
  task.splits = splits(task.read == ColumnRead::many_rows ? many_column_loads : column_loads);
  task.shards = static_cast<int>(std::clamp<std::int64_t>(
      std::min<std::int64_t>(task.splits / 16, max_split_results / task.results), 1, max_column_shards));
  // With more groups, the last block by ticket is as fast.
  constexpr std::int64_t max_groups_that_wait = 2;
  task.waits = task.splits > 1 && groups <= max_groups_that_wait && groups * task.splits <= resident_blocks;
}

/// Plans how the threads of the device share the work: see AxisTask.
void plan_vectors_kernel(AxisTask& task, const DeviceLimits& device) {
  constexpr int log_threads = std::countr_zero(unsigned{axis_threads});
  const int most = log2_of_next_power(max_vectors(task.operation));
  const ResultAxis* const nearest = task.axis_count == 0 ? nullptr : task.axes + task.axis_count - 1;
  task.vectors_first = nearest != nullptr && std::abs(nearest->stride) < std::abs(task.stride);
  if (task.vectors_first) {
    task.log_vectors = most;
    // Enough blocks for every multiprocessor, but whole sectors of memory for each.
    while (task.log_vectors > 4 && task.results > max_split_results &&
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
  task.splits = split_count(task, groups, steps, 3 * device.multiprocessors);
}

/// Begins at the lowest of the elements, since the order of terms changes nothing, nor does that of results,
/// but of integers: it is known which is the first that its type cannot hold.
void count_upwards(AxisTask& task) {
  if (task.length == 0) return;
  if (task.stride < 0) {
    task.x += (task.length - 1) * task.stride;
    task.stride = -task.stride;
  }
  if (task.is_integer) return;
  for (int i = 0; i < task.axis_count; ++i) {
    ResultAxis& axis = task.axes[i];
    if (axis.stride >= 0) continue;
    task.x += (axis.extent - 1) * axis.stride;
    task.out += (axis.extent - 1) * axis.out_stride;
    axis.stride = -axis.stride;
    axis.out_stride = -axis.out_stride;
  }
}

/// Plans sums of columns that the kernel for these does faster than that of sums in doubles.
bool plan_faster_columns(AxisTask& task, const DeviceLimits& device) {
  if (!suits_columns_kernel(task)) return false;
  AxisTask columns = task;
  plan_columns_kernel(columns, device);
  // Its one launch is faster for what the cache holds, and it merges blocks' sums faster, of which few
  // columns of doubles leave time for nothing else; of some more it is 2 to 4 % faster if no thread is idle.
  constexpr std::int64_t few = 512, some = 2048;
  const bool is_small = fits_in_l2(task, device) && task.results <= max_split_results;
  const bool all_work = axis_threads % columns.vec16s == 0 && task.results <= some;
  if (!is_small && (task.type != ElementType::float64 || (task.results > few && !all_work))) return false;
  task = columns;
  return true;
}

}  // namespace

bool takes_vectors(const AxisReduction& reduction) {
  const VectorView& terms = reduction.terms;
  const bool are_interleaved =
      !reduction.axes.empty() && std::abs(reduction.axes.back().stride) < std::abs(terms.stride());
  return terms.size() <= (are_interleaved ? longest_interleaved_vector(terms.type()) : longest_vector);
}

AxisTask unplanned_task(const AxisReduction& reduction) {
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
  task.is_integer = !is_floating(reduction.out_type);
  task.wrap = reduction.overflow == Overflow::wrap;
  task.format = format_of(reduction.out_type);
  task.integer_format = integer_format_of(reduction.out_type);
  const auto address = reinterpret_cast<std::uintptr_t>(task.x);
  task.aligned = address % static_cast<std::uintptr_t>(width) == 0;
  return task;
}

AxisTask axis_task(const AxisReduction& reduction, const DeviceLimits& device) {
  AxisTask task = unplanned_task(reduction);
  count_upwards(task);
  if (plan_faster_columns(task, device)) return task;
  plan_vectors_kernel(task, device);
  // Of a few elements only the launches cost anything: one instead of two.
  constexpr std::int64_t tiny = 256;
  if (task.results * std::max(task.length, 1) > tiny) plan_direct(task, device);
  if (task.direct.layout != DirectLayout::none)
    task.splits = 1;
  else if (suits_columns_kernel(task))
    plan_columns_kernel(task, device);
  return task;
}

}  // namespace foldline::cuda
