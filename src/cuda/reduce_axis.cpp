// Reductions along an axis on a GPU: where the data is, and how the device's threads share it.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <ranges>
#include <vector>

#include "cuda/axis_task.hpp"
#include "cuda/check.hpp"
#include "cuda/place.hpp"
#include "cuda/resources.hpp"

namespace foldline::cuda {

namespace {

FloatFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::half:
      return format_of_half;
    case ElementType::bfloat16:
      return format_of_bfloat16;
    case ElementType::float32:
      return format_of_float;
    default:
      return format_of_double;
  }
}

/// Whether all elements are at multiples of their size.
bool is_aligned(const AxisReduction& reduction) {
  const auto address = reinterpret_cast<std::uintptr_t>(reduction.terms.data());
  return address % static_cast<std::uintptr_t>(size_of(reduction.terms.type())) == 0;
}

int log2_of_next_power(std::int64_t x) {
  return x <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x - 1)));
}

/// How the threads of the device share the work: see AxisTask.
void share_work(AxisTask& task, std::int64_t multiprocessors, bool aligned) {
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
    const int log_lanes = log2_of_next_power(task.length / (batches * axis_batch(task.type, aligned)));
    task.log_vectors = std::clamp(log_threads - log_lanes, 0, most);
  }
  task.log_vectors = std::min(task.log_vectors, log2_of_next_power(task.results));

  const std::int64_t groups = ((task.results - 1) >> task.log_vectors) + 1;
  const std::int64_t step = std::int64_t{axis_threads >> task.log_vectors} * axis_batch(task.type, aligned);
  const std::int64_t steps = (task.length + step - 1) / step;
  const std::int64_t at_once = 3 * multiprocessors;  // blocks
  // Blocks that are all there at the same time, or so many that it does not matter how the last ones end.
  const std::int64_t slices = groups * 8 <= at_once ? std::min(at_once / groups, steps)
                                                    : std::min((8 * at_once - 1) / groups + 1, steps / 8);
  task.slices = task.results > most_shared_results ? 1 : static_cast<int>(std::max<std::int64_t>(slices, 1));
}

AxisTask task_of(const AxisReduction& reduction) {
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
  task.integer_format = {reduction.out_type == ElementType::boolean ? 1 : 8 * task.out_bytes,
                         is_signed(reduction.out_type)};
  return task;
}

/// What a call needs of the device.
class Work {
 public:
  Work(int device, cudaStream_t stream)
      : stream_(stream), resources_(device), multiprocessors_(multiprocessors_of(device)) {}

  /// Reduces an array in the memory of the device into memory there. Returns the index of a result that does
  /// not fit its integer type, or -1.
  std::int64_t run(const AxisReduction& reduction) {
    if (reduction.axes.size() > most_axes) return run_parts(reduction);
    AxisTask task = task_of(reduction);
    const bool aligned = is_aligned(reduction);
    share_work(task, multiprocessors_, aligned);
    attach_totals(task);
    if (aligned && task.type == ElementType::float64)
      launch_axis_float64(task, stream_);
    else if (aligned && task.type == ElementType::float32)
      launch_axis_float32(task, stream_);
    else
      launch_axis_any(task, stream_);
    unsigned long long failure = 0;
    if (task.whole) {
      check(cudaMemcpyAsync(&failure, task.failure, sizeof failure, cudaMemcpyDeviceToHost, stream_),
            "a reduction along an axis");
      check(cudaMemsetAsync(task.failure, 0, sizeof failure, stream_), "a reduction along an axis");
    }
    check(cudaStreamSynchronize(stream_), "a reduction along an axis");
    return failure == 0 ? -1 : static_cast<std::int64_t>(~failure);
  }

 private:
  /// One call for each index of the first axis.
  std::int64_t run_parts(const AxisReduction& reduction) {
    AxisReduction part = reduction;
    const ResultAxis outermost = reduction.axes.front();
    part.axes.erase(part.axes.begin());
    part.results /= outermost.extent;
    for (std::int64_t i = 0; i < outermost.extent; ++i) {
      part.terms = vector_at(reduction, i * outermost.stride);
      part.out = reduction.out + i * outermost.out_stride * size_of(reduction.out_type);
      const std::int64_t failure = run(part);
      if (failure >= 0) return i * part.results + failure;
    }
    return -1;
  }

  /// Memory for what blocks have in common: the failure, the tickets, the totals.
  void attach_totals(AxisTask& task) {
    const std::size_t results = task.slices == 1 ? 0 : static_cast<std::size_t>(task.results);
    const std::size_t tickets = sizeof *task.failure + most_shared_results * sizeof *task.tickets;
    resources_->make_axis_totals(tickets + results * axis_totals_bytes);
    std::byte* const memory = resources_->axis_totals;
    task.failure = reinterpret_cast<unsigned long long*>(memory);
    task.tickets = reinterpret_cast<unsigned*>(memory + sizeof *task.failure);
    task.totals = reinterpret_cast<AxisTotals*>(memory + tickets);
  }

  const cudaStream_t stream_;
  Lease resources_;
  int multiprocessors_;
};

/// Device memory for the time of a call.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes, const char* what) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), what);
    memory_ = static_cast<std::byte*>(memory);
  }
  ~Buffer() { cudaFree(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const { return memory_; }

 private:
  std::byte* memory_;
};

/// From the first byte of an array to the last, as seen from its element of index 0.
struct Span {
  std::int64_t first, bytes;
};
Span span_of(const AxisReduction& reduction) {
  std::int64_t lowest = 0, highest = 0;  // in elements
  const auto extend = [&](std::int64_t extent, std::int64_t stride) {
    (stride < 0 ? lowest : highest) += (extent - 1) * stride;
  };
  extend(reduction.terms.size(), reduction.terms.stride());
  for (const ResultAxis& axis : reduction.axes) extend(axis.extent, axis.stride);
  const std::int64_t width = size_of(reduction.terms.type());
  return {lowest * width, (highest - lowest + 1) * width};
}

/// Copies an array of the host's, with whatever lies between its elements.
void copy_array(AxisReduction& reduction, std::optional<Buffer>& buffer, cudaStream_t stream) {
  const Span span = span_of(reduction);
  const std::byte* const first = reduction.terms.at(0) + span.first;
  constexpr std::uintptr_t alignment = 16;
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) % alignment);
  std::byte* const copy =
      buffer.emplace(span.bytes + offset, "allocating memory for a copy of the array").data() + offset;
  check(cudaMemcpyAsync(copy, first, static_cast<std::size_t>(span.bytes), cudaMemcpyHostToDevice, stream),
        "copying an array to the device");
  const VectorView& terms = reduction.terms;
  reduction.terms = {copy - span.first, terms.type(), terms.size(), terms.stride()};
}

/// Has the results written one behind another.
void write_densely(AxisReduction& reduction, std::byte* out) {
  reduction.out = out;
  std::int64_t stride = 1;
  for (ResultAxis& axis : reduction.axes | std::views::reverse) {
    axis.out_stride = stride;
    stride *= axis.extent;
  }
}

/// Puts results that lie one behind another in the host's memory where they belong.
void scatter(const std::vector<std::byte>& results, const AxisReduction& reduction, Place place,
             cudaStream_t stream) {
  const std::int64_t width = size_of(reduction.out_type);
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    std::byte* const target = reduction.out + offset_of(reduction.axes, i).out * width;
    const std::byte* const source = results.data() + i * width;
    if (place == Place::host)
      std::memcpy(target, source, static_cast<std::size_t>(width));
    else
      check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(width), cudaMemcpyHostToDevice, stream),
            "copying a result");
  }
  check(cudaStreamSynchronize(stream), "copying results");
}

/// Reduces one vector after the other and rounds on the host: few, and long ones.
void reduce_each(const AxisReduction& reduction, Place place, const Plan& plan, cudaStream_t stream,
                 RoundTo round) {
  std::vector<std::byte> results(static_cast<std::size_t>(reduction.results * size_of(reduction.out_type)));
  AxisReduction dense = reduction;
  write_densely(dense, results.data());
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    Moments moments;
    const std::int64_t offset = offset_of(reduction.axes, i).terms;
    reduce({.needs = needs_of(reduction.operation), .x = vector_at(reduction, offset), .y = {}}, plan, stream,
           moments);
    round(dense, moments, i);
  }
  if (!reduction.failure->exception) scatter(results, reduction, place, stream);
}

/// Has the host find out, and say, what is wrong with a result.
void fail(const AxisReduction& reduction, std::int64_t index, const Plan& plan, cudaStream_t stream,
          RoundTo round) {
  AxisReduction one = reduction;
  one.terms = vector_at(reduction, offset_of(reduction.axes, index).terms);
  one.axes.clear();
  one.results = 1;
  std::vector<std::byte> nowhere(static_cast<std::size_t>(size_of(reduction.out_type)));
  one.out = nowhere.data();
  reduce_each(one, Place::host, plan, stream, round);
}

}  // namespace

void reduce_axis(const AxisReduction& reduction, const Plan& plan, void* stream_of_caller, RoundTo round) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  const Place out = place_of(reduction.out, device);
  if (reduction.terms.size() > longest_vector) return reduce_each(reduction, out, plan, stream, round);

  AxisReduction there = reduction;  // on the device
  std::optional<Buffer> array, dense;
  if (reduction.terms.size() > 0 && place_of(reduction.terms.data(), device) == Place::host)
    copy_array(there, array, stream);
  const std::int64_t bytes = reduction.results * size_of(reduction.out_type);
  if (out == Place::host) write_densely(there, dense.emplace(bytes, "allocating memory for results").data());
  const std::int64_t failure = Work(device, stream).run(there);
  if (failure >= 0) return fail(reduction, failure, plan, stream, round);
  if (out == Place::host) {
    std::vector<std::byte> results(static_cast<std::size_t>(bytes));
    check(cudaMemcpy(results.data(), dense->data(), results.size(), cudaMemcpyDeviceToHost),
          "copying results");
    scatter(results, reduction, out, stream);
  }
}

}  // namespace foldline::cuda
