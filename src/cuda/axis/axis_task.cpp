// How the threads of a device share a reduction along an axis.
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

/// Blocks that share each of some groups of vectors, of which each takes `steps` steps of a block; `at_once`
/// blocks are on the device at the same time.
int slices_of(const AxisTask& task, std::int64_t groups, std::int64_t steps, std::int64_t at_once) {
  if (task.results > most_shared_results) return 1;
  // Blocks that are all there at the same time, or so many that it does not matter how the last ones end.
  const std::int64_t slices = groups * 8 <= at_once ? std::min(at_once / groups, steps)
                                                    : std::min((8 * at_once - 1) / groups + 1, steps / 8);
  return static_cast<int>(std::max<std::int64_t>(slices, 1));
}

/// Whether the task is that of sums of columns in quads.
bool has_quads(const AxisTask& task) {
  const Needs needs = needs_of(task.operation);
  const bool sums = (needs.values || needs.magnitudes) && !needs.squares && !needs.extrema;
  const std::int64_t width = size_of(task.type);
  return sums && (task.type == ElementType::float64 || task.type == ElementType::float32) &&
         task.axis_count == 1 && task.axes[0].stride == width && task.length > 0 &&
         task.results % (16 / width) == 0 && task.stride % 16 == 0 &&
         reinterpret_cast<std::uintptr_t>(task.x) % 16 == 0;
}

/// How the blocks of the device share sums of columns.
void share_columns(AxisTask& task, const DeviceSize& device) {
  const std::int64_t elements = 16 / size_of(task.type);
  task.all_quads = task.results / elements;
  const auto groups_of = [&](std::int64_t most) { return (task.all_quads - 1) / most + 1; };
  constexpr int line_bytes = 128;
  const bool begins_in_line = reinterpret_cast<std::uintptr_t>(task.x) % line_bytes == 0;
  const bool in_lines = task.stride % line_bytes == 0 && begins_in_line;
  // Of other rows a block takes a longer piece, since it begins and ends within a line. On an H200, sums of
  // 1000000 x 1000 doubles take 1764 us so instead of 1819, x 200 373 instead of 416, of floats 938 instead
  // of 1116 and 190 instead of 213, of 100 x 1000004 floats 254 instead of 383; 1000 x 500004 doubles take
  // 1055 instead of 1006. Where rows are whole lines, 160000 x 64 and 100000 x 8192 would take 1 % longer.
  const bool is_wide = !in_lines && device.shared_bytes >= shared_bytes_for_wide;
  std::int64_t most = (is_wide ? most_columns_if_wide : most_columns) / elements;
  // Blocks for every multiprocessor, but whole lines of memory for each.
  while (most > 8 && task.results > most_shared_results && groups_of(most) < 6 * device.multiprocessors)
    most /= 2;
  const std::int64_t groups = groups_of(most);
  task.quads = static_cast<int>((task.all_quads - 1) / groups + 1);
  const std::int64_t rows = axis_threads / task.quads, at_once = 2 * device.multiprocessors;
  const auto steps_of = [&](int loads) { return (task.length - 1) / (rows * loads) + 1; };
  const auto slices = [&](int loads) {
    return std::min(slices_of(task, groups, steps_of(loads), at_once), max_column_slices);
  };
  // What the cache can hold, and some of what others have there, stays: the next who reads it finds it. On an
  // H100, sums of 160000 x 32 doubles again and again take 14.5 us so instead of 16.3, of 3000 x 1000 9.2
  // instead of 12.1; and of 160000 x 8 that are not there 8.5 instead of 10.4. (If five matrices of 41 MB
  // take turns, nothing of them is there the next time, and something is if they leave first: 17.2 instead of
  // 16.3.)
  task.stays = task.results <= (device.l2_bytes - device.l2_bytes / 8) / (task.length * size_of(task.type));
  // More at a time is faster if a block has several steps of it: when this was chosen, on an H200 and with
  // more to do before and after the loop than now, 1600000 x 64 doubles took 187 us instead of 190, 160000 x
  // 8 take 12.3 instead of 10.6, and 1000 x 1000000 2440 instead of 2220. These, of which a block has all
  // rows and only so many that to begin and to end weigh much, take 1920 if it reads ahead. That pays only if
  // the threads of a block are on whole lines: 1000000 x 1000 take half as long again.
  // And it pays if what is read may be in the cache: 160000 x 32, which is not, take 17.6 us instead of 19.4,
  // floats again and again 7.3 instead of 8.4. (160000 x 64 take 29.9 instead of 28.9.)
  // How far ahead, of a later kernel: 1000 x 1000000 take 1770 us with four times, 1783 with three, 1850 with
  // two, 1940 with five, 160000 x 32 13.5 with two, 13.8 with three, 13.9 with four, 15.2 with five or if
  // three blocks share a multiprocessor. (When a block asks for what comes first, before its sample is there
  // or behind it, makes no difference.)
  constexpr std::int64_t several = 4;
  // Rows without gaps, a power of two of them to a line, are as good: 160000 x 8 take 6.6 us, 7.5 if not read
  // ahead.
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
  // Of more groups the block that comes last is as soon.
  constexpr std::int64_t most_groups_that_wait = 2;
  task.waits = task.slices > 1 && groups <= most_groups_that_wait && groups * task.slices <= at_once;
}

/// How the threads of the device share the work: see AxisTask.
void share_work(AxisTask& task, const DeviceSize& device) {
  constexpr int log_threads = std::countr_zero(unsigned{axis_threads});
  const int most = log2_of_next_power(most_vectors(task.operation));
  const ResultAxis* const nearest = task.axis_count == 0 ? nullptr : task.axes + task.axis_count - 1;
  task.vectors_first = nearest != nullptr && std::abs(nearest->stride) < std::abs(task.stride);
  if (task.vectors_first) {
    task.log_vectors = most;
    // Blocks for every multiprocessor, but whole sectors of memory for each.
    while (task.log_vectors > 4 && task.results > most_shared_results &&
           task.results >> task.log_vectors < 2 * device.multiprocessors)
      --task.log_vectors;
  } else {
    constexpr int batches = 4;  // of a thread: enough that what comes after them does not weigh
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
