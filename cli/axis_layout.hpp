// An array as matrices whose columns run along one axis.
#pragma once

#include <cstdint>
#include <vector>

#include <foldline/array_reader.hpp>

namespace foldline::cli {

/// The file holds `outer` matrices one after the other, each of `length` rows of `inner` elements; the axis
/// runs down the columns. `outer` is the product of all axes that vary slower, `inner` of those that vary
/// faster.
struct AxisLayout {
  std::int64_t outer = 1, length = 1, inner = 1;
};

/// The axis from 0. Throws UsageError if the array has none of that number.
std::size_t checked_axis(const ArrayReader& array, std::int64_t axis);

AxisLayout layout_of(const ArrayReader& array, std::size_t axis);

}  // namespace foldline::cli
