// The argument `axis` and the broadcasting of shapes, as in NumPy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foldline/array_view.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

/// A whole number of any of Python's and NumPy's types. Throws TypeError for others, OverflowError beyond 64
/// bits.
std::int64_t integer_of(nb::handle number);

/// Which axes an argument `axis` names: all for None, an integer, or a tuple of them. Throws AxisError,
/// ValueError if one is named twice, or TypeError.
std::vector<bool> axes_of_argument(nb::handle axis, std::int64_t axes);

/// The one axis that an argument names. Throws AxisError or TypeError.
std::int64_t axis_from(nb::handle axis, std::int64_t axes);

/// An axis counted from 0. Throws AxisError.
std::int64_t checked_axis(std::int64_t axis, std::int64_t axes);

/// The shape of both together. Throws ValueError.
AxisValues broadcast_shapes(const AxisValues& a, const AxisValues& b, const char* caller);

/// Strides of an array that is seen in another shape: 0 along axes that it lacks or has one element of.
/// Throws ValueError if it cannot be.
AxisValues broadcast_strides(const AxisValues& shape, const AxisValues& strides, const AxisValues& as,
                             const char* caller);

/// "(2, 3)"
std::string text_of(const AxisValues& shape);

}  // namespace foldline::python
