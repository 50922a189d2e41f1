#include "api/axis_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace foldline {

void merge_axes(std::vector<ResultAxis>& axes) {
  std::ranges::sort(axes, [](const ResultAxis& first, const ResultAxis& second) {
    return std::pair(std::abs(first.stride), std::abs(first.out_stride)) >
           std::pair(std::abs(second.stride), std::abs(second.out_stride));
  });
  std::size_t merged = 0;
  for (const ResultAxis inner : axes) {
    ResultAxis* const outer = merged == 0 ? nullptr : &axes[merged - 1];
    if (outer != nullptr && outer->stride == inner.stride * inner.extent &&
        outer->out_stride == inner.out_stride * inner.extent)
      *outer = {outer->extent * inner.extent, inner.stride, inner.out_stride};
    else
      axes[merged++] = inner;
  }
  axes.resize(merged);
}

}  // namespace foldline
