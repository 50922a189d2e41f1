// An array in a file, as what an axis makes of it.
#pragma once

#include <cstdint>
#include <vector>

#include <foldline/array_reader.hpp>

namespace foldline::cli {

/// The file holds `outer` matrices one after the other, each of `length` rows of `inner` elements; the axis
/// runs down the columns. All axes that vary slower are one, and all that vary faster.
struct AxisLayout {
  std::int64_t outer = 1, length = 1, inner = 1;
};

/// The axis from 0. Throws UsageError if the array has none of that number.
std::size_t checked_axis(const ArrayReader& array, std::int64_t axis);

AxisLayout layout_of(const ArrayReader& array, std::size_t axis);

}  // namespace foldline::cli
