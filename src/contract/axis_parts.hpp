// A reduction along an axis in parts, for backends whose launches take so many results and axes at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "contract/backend.hpp"

namespace foldline {

/// Calls f(part, index of its first result) for parts of at most `most_results` results along at most
/// `most_axes` axes, in the order of the results.
template <class F>
void for_each_axis_part(const AxisReduction& reduction, std::int64_t most_results, std::size_t most_axes,
                        const F& f, std::int64_t first = 0) {
  if (reduction.results <= most_results && reduction.axes.size() <= most_axes) return f(reduction, first);
  AxisReduction part = reduction;
  const ResultAxis outermost = reduction.axes.front();
  const std::int64_t inner = reduction.results / outermost.extent;
  const bool one_by_one = reduction.axes.size() > most_axes || inner > most_results;
  const std::int64_t at_a_time = one_by_one ? 1 : most_results / inner;
  if (one_by_one) part.axes.erase(part.axes.begin());
  for (std::int64_t i = 0; i < outermost.extent; i += at_a_time) {
    const std::int64_t count = std::min(at_a_time, outermost.extent - i);
    if (!one_by_one) part.axes.front().extent = count;
    part.results = count * inner;
    part.terms = vector_at(reduction, i * outermost.stride);
    part.out = reduction.out + i * outermost.out_stride * size_of(reduction.out_type);
    for_each_axis_part(part, most_results, most_axes, f, first + i * inner);
  }
}

}  // namespace foldline
