// How the threads of a device share a reduction along an axis.
#include "cuda/axis_task.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "rounded_results.hpp"

namespace foldline::cuda {

namespace {

int log2_of_next_power(std::int64_t x) {
  return x <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x - 1)));
}

/// How the threads of the device share the work: see AxisTask.
void share_work(AxisTask& task, std::int64_t multiprocessors) {
  constexpr int log_threads = std::countr_zero(unsigned{axis_threads});
  const int most = log2_of_next_power(most_vectors(task.operation));
  const ResultAxis* const nearest = task.axis_count == 0 ? nullptr : task.axes + task.axis_count - 1;
  task.vectors_first = nearest != nullptr && std::abs(nearest->stride) < std::abs(task.stride);
  if (task.vectors_first) {
    task.log_vectors = most;
    // Blocks for every multiprocessor, but whole sectors of memory for each.
    while (task.log_vectors > 4 && task.results > most_shared_results &&
           task.results >> task.log_vectors < 2 * multiprocessors)
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
  const std::int64_t at_once = 3 * multiprocessors;  // blocks
  // Blocks that are all there at the same time, or so many that it does not matter how the last ones end.
  const std::int64_t slices = groups * 8 <= at_once ? std::min(at_once / groups, steps)
                                                    : std::min((8 * at_once - 1) / groups + 1, steps / 8);
  task.slices = task.results > most_shared_results ? 1 : static_cast<int>(std::max<std::int64_t>(slices, 1));
}

}  // namespace

AxisTask axis_task(const AxisReduction& reduction, int multiprocessors) {
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
  share_work(task, multiprocessors);
  return task;
}

}  // namespace foldline::cuda
