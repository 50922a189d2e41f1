// How a result along an axis is rounded and stored.
#pragma once

#include <cstdint>

#include "contract/backend.hpp"

namespace foldline {

/// A RoundTo. Threads call it, and no exception may leave a parallel region: that a result does not fit its
/// integer type is noted, to be thrown at the end.
void round_axis_result(const AxisReduction& reduction, const Moments& moments, std::int64_t offset);

}  // namespace foldline
