// Reductions of what a mask takes on a GPU: copies the taken elements, one result's after another's, and
// reduces these segments.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "contract/segments.hpp"
#include "cuda/axis/masks.hpp"
#include "cuda/axis/memory_parts.hpp"
#include "cuda/runtime/array_copy.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"

namespace foldline::cuda {

namespace {

constexpr auto doing = "a reduction with a mask";

/// An array of the device's, or a copy of one of the host's with whatever lies between its elements.
const std::byte* on_device(const std::byte* first, std::int64_t width, const MaskedReduction& reduction,
                           std::int64_t MaskedAxis::* stride, std::optional<Buffer>& buffer, int device,
                           cudaStream_t stream) {
  if (reduction.terms == 0 || memory_space_of(first, device) == MemorySpace::device) return first;
  ArraySpan span(width);
  for (const std::vector<MaskedAxis>* axes : {&reduction.kept, &reduction.reduced})
    for (const MaskedAxis& axis : *axes) span.extend(axis.extent, axis.*stride * width);
  return copy_to_device(first, span, buffer, stream);
}

bool is_along(const MaskedReduction& reduction) {
  constexpr std::int64_t few = 16;
  if (reduction.reduced.empty() || reduction.terms < few) return false;
  return reduction.kept.empty() ||
         std::abs(reduction.reduced.back().stride) <= std::abs(reduction.kept.back().stride);
}

/// What a call needs but for the values.
struct Memory {
  MaskedAxis* axes;
  std::int64_t *counts, *taken, *offsets;
  std::byte *results, *scanning;
};
Memory lay_out(Parts& parts, const MaskedReduction& reduction, std::size_t scanning_bytes) {
  const auto count = static_cast<std::size_t>(reduction.results);
  Memory memory{};
  memory.axes = reinterpret_cast<MaskedAxis*>(
      parts.take((reduction.kept.size() + reduction.reduced.size()) * sizeof(MaskedAxis)));
  memory.counts = reinterpret_cast<std::int64_t*>(parts.take(2 * count * sizeof(std::int64_t)));
  memory.taken = memory.counts + count;
  memory.offsets = reinterpret_cast<std::int64_t*>(parts.take((count + 1) * sizeof(std::int64_t)));
  memory.results = parts.take(count * static_cast<std::size_t>(size_of(reduction.out_type)));
  memory.scanning = parts.take(scanning_bytes);
  return memory;
}

/// Copies results and counts to where they go in host memory, or in the device's.
void place(const MaskedReduction& reduction, const MaskTask& task, const std::byte* results, int device,
           cudaStream_t stream) {
  const std::int64_t width = size_of(reduction.out_type);
  const bool of_all = !needs_of(reduction.operation).extrema;
  const auto is_here = [&](const std::byte* at) {
    return at != nullptr && memory_space_of(at, device) == MemorySpace::host;
  };
  const bool out_here = is_here(reduction.out), counts_here = is_here(reduction.counts);
  launch_place_results(task, results, static_cast<int>(width), of_all, out_here ? nullptr : reduction.out,
                       counts_here ? nullptr : reduction.counts, stream);
  const auto count = static_cast<std::size_t>(reduction.results);
  std::vector<std::int64_t> counts(count);
  std::vector<std::byte> here(out_here ? count * static_cast<std::size_t>(width) : 0);
  if (out_here || counts_here)
    check(cudaMemcpyAsync(counts.data(), task.counts, count * sizeof(std::int64_t), cudaMemcpyDeviceToHost,
                          stream),
          doing);
  if (out_here)
    check(cudaMemcpyAsync(here.data(), results, here.size(), cudaMemcpyDeviceToHost, stream), doing);
  check(cudaStreamSynchronize(stream), doing);
  if (!out_here && !counts_here) return;
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    const MaskedOffset at = offset_of(reduction.kept, i);
    const std::int64_t taken = counts[static_cast<std::size_t>(i)];
    if (counts_here)
      std::memcpy(reduction.counts + at.count * std::int64_t{sizeof taken}, &taken, sizeof taken);
    if (out_here && (of_all || taken != 0))
      std::memcpy(reduction.out + at.out * width, here.data() + i * width, static_cast<std::size_t>(width));
  }
}

}  // namespace

void reduce_where(const MaskedReduction& reduction, const Plan& plan, void* stream_of_caller,
                  RoundSegment round) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  std::optional<Buffer> x, mask;
  const std::size_t scanning_bytes = bytes_for_offsets(reduction.results);
  Parts wanted;
  lay_out(wanted, reduction, scanning_bytes);
  const Buffer buffer(static_cast<std::int64_t>(wanted.size()),
                      "allocating memory to count what a mask takes");
  Parts parts(buffer.data());
  const Memory memory = lay_out(parts, reduction, scanning_bytes);
  std::vector<MaskedAxis> axes = reduction.kept;
  axes.insert(axes.end(), reduction.reduced.begin(), reduction.reduced.end());
  check(cudaMemcpyAsync(memory.axes, axes.data(), axes.size() * sizeof(MaskedAxis), cudaMemcpyHostToDevice,
                        stream),
        doing);
  check(cudaMemsetAsync(memory.counts, 0,
                        2 * static_cast<std::size_t>(reduction.results) * sizeof(std::int64_t), stream),
        doing);
  MaskTask task = {
      .x = on_device(reduction.x, size_of(reduction.type), reduction, &MaskedAxis::stride, x, device, stream),
      .mask = on_device(reduction.mask, 1, reduction, &MaskedAxis::mask_stride, mask, device, stream),
      .element_bytes = static_cast<int>(size_of(reduction.type)),
      .kept = memory.axes,
      .reduced = memory.axes + reduction.kept.size(),
      .kept_count = static_cast<int>(reduction.kept.size()),
      .reduced_count = static_cast<int>(reduction.reduced.size()),
      .results = reduction.results,
      .terms = reduction.terms,
      .along = is_along(reduction),
      .counts = memory.counts,
      .offsets = memory.offsets,
      .taken = memory.taken,
      .values = nullptr,
      .fills_empty = needs_of(reduction.operation).extrema};
  launch_count_taken(task, stream);
  launch_offsets_of_counts(task, memory.scanning, scanning_bytes, stream);
  std::int64_t size = 0;
  check(
      cudaMemcpyAsync(&size, memory.offsets + reduction.results, sizeof size, cudaMemcpyDeviceToHost, stream),
      doing);
  check(cudaStreamSynchronize(stream), doing);
  std::optional<Buffer> values;
  if (size > 0) {
    task.values = values.emplace(size * task.element_bytes, "allocating memory for what a mask takes").data();
    launch_copy_taken(task, stream);
  }
  const SegmentReduction segments = {.operation = reduction.operation,
                                     .ddof = reduction.ddof,
                                     .values = {task.values, reduction.type, size},
                                     .offsets = VectorView(memory.offsets, reduction.results + 1),
                                     .out = {memory.results, reduction.out_type, reduction.results},
                                     .overflow = reduction.overflow,
                                     .failure = reduction.failure};
  reduce_segments(segments, plan, stream_of_caller, round);
  if (!reduction.failure->exception) place(reduction, task, memory.results, device, stream);
}

}  // namespace foldline::cuda
