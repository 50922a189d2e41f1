// Reductions of the elements that a mask takes: what the operations and the backends agree on.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.hpp"
#include "contract/segments.hpp"

namespace foldline {

/// An axis of a MaskedReduction; strides in elements of each array, of out and counts 0 where it is reduced.
struct MaskedAxis {
  std::int64_t extent, stride, mask_stride, out_stride, count_stride;
};

/// Distances, in elements of each array, from its first element.
struct MaskedOffset {
  std::int64_t x = 0, mask = 0, out = 0, count = 0;
};

/// A valid reduction of the taken elements along some axes. Axes have more than one element and are merged
/// where all arrays lie like along one; nearest neighbours in x are last.
struct MaskedReduction {
  Operation operation;
  std::int64_t ddof;
  const std::byte* x;  // the element of index 0, as in the other arrays
  ElementType type;
  const std::byte* mask;  // a byte for each element: not zero if it is taken
  std::vector<MaskedAxis> kept, reduced;
  std::int64_t results, terms;  // the products of the extents of both, at least 1 and 0
  std::byte* out;
  ElementType out_type;
  std::byte* counts;  // of int64, or null
  Overflow overflow;
  Failure* failure;  // set by a rounding that fails
};

inline MaskedOffset offset_of(const std::vector<MaskedAxis>& axes, std::int64_t index) {
  MaskedOffset offset;
  for (const MaskedAxis& axis : axes | std::views::reverse) {
    const std::int64_t i = index % axis.extent;
    offset.x += i * axis.stride;
    offset.mask += i * axis.mask_stride;
    offset.out += i * axis.out_stride;
    offset.count += i * axis.count_stride;
    index /= axis.extent;
  }
  return offset;
}

/// Callback of the backends: rounds the sums of the taken elements, `count` of them, and stores the result
/// and the count at `at`. Does not throw.
using RoundMasked = void (*)(const MaskedReduction& reduction, const Moments& moments,
                             const MaskedOffset& at);

namespace cpu {
void reduce_where(const MaskedReduction& reduction, const Plan& plan, RoundMasked round);
}  // namespace cpu

namespace cuda {
/// On the plan's device, after earlier work in the stream; waits. What is taken becomes segments, of which
/// `round` rounds those that the device does not.
void reduce_where(const MaskedReduction& reduction, const Plan& plan, void* stream, RoundSegment round);
}  // namespace cuda

}  // namespace foldline
