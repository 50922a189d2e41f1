#include "axis_layout.hpp"

#include <fmt/format.h>

#include "options.hpp"

namespace foldline::cli {

std::size_t checked_axis(const ArrayReader& array, std::int64_t axis) {
  const auto axes = static_cast<std::int64_t>(array.shape()->size());
  if (axes == 0) throw UsageError(array.name() + ": is a single number and has no axis; leave out --axis");
  if (axis < -axes || axis >= axes)
    throw UsageError(fmt::format("{}: has no axis {}; its axes are 0 to {}, or -{} to -1", array.name(), axis,
                                 axes - 1, axes));
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

AxisLayout layout_of(const ArrayReader& array, std::size_t axis) {
  AxisLayout layout;
  const std::vector<std::int64_t>& shape = *array.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool slower = array.fortran_order() ? i > axis : i < axis;
    std::int64_t& length = i == axis ? layout.length : slower ? layout.outer : layout.inner;
    length *= shape[i];  // the reader has checked that the product of all fits
  }
  return layout;
}

}  // namespace foldline::cli
