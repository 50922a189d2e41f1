// Rounding and storing of a result along an axis, or of a segment.
#pragma once

#include <cstdint>

#include "contract/backend.hpp"
#include "contract/segments.hpp"

namespace foldline {

/// A RoundTo. It is called in parallel regions, which no exception may leave: a result that does not fit its
/// integer type is recorded in the reduction's Failure, to be thrown at the end.
void round_axis_result(const AxisReduction& reduction, const Moments& moments, std::int64_t offset);

/// A RoundSegment. It is called in parallel regions, which no exception may leave.
void round_segment(const SegmentReduction& reduction, const Moments& moments, std::int64_t i);

}  // namespace foldline
