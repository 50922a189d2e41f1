#include "cuda/axis/axis_copies.hpp"

#include <cstring>
#include <ranges>

namespace foldline::cuda {

namespace {

/// From the first byte of an array to the last, relative to the element with index 0.
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

}  // namespace

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

void write_contiguously(AxisReduction& reduction, std::byte* out) {
  reduction.out = out;
  std::int64_t stride = 1;
  for (ResultAxis& axis : reduction.axes | std::views::reverse) {
    axis.out_stride = stride;
    stride *= axis.extent;
  }
}

void scatter(const std::vector<std::byte>& results, const AxisReduction& reduction, MemorySpace space,
             cudaStream_t stream) {
  const std::int64_t width = size_of(reduction.out_type);
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    std::byte* const target = reduction.out + offset_of(reduction.axes, i).out * width;
    const std::byte* const source = results.data() + i * width;
    if (space == MemorySpace::host)
      std::memcpy(target, source, static_cast<std::size_t>(width));
    else
      check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(width), cudaMemcpyHostToDevice, stream),
            "copying a result");
  }
  check(cudaStreamSynchronize(stream), "copying results");
}

}  // namespace foldline::cuda
