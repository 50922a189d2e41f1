#include "cuda/axis/axis_copies.hpp"

#include <cstring>
#include <ranges>

#include "cuda/runtime/array_copy.hpp"

namespace foldline::cuda {

void copy_array(AxisReduction& reduction, std::optional<Buffer>& buffer, cudaStream_t stream) {
  const VectorView& terms = reduction.terms;
  const std::int64_t width = size_of(terms.type());
  ArraySpan span(width);
  span.extend(terms.size(), terms.stride() * width);
  for (const ResultAxis& axis : reduction.axes) span.extend(axis.extent, axis.stride * width);
  reduction.terms = {copy_to_device(terms.at(0), span, buffer, stream), terms.type(), terms.size(),
                     terms.stride()};
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
