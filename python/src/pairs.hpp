// Functions of two arrays: dot products, weighted means, matrix products.
#pragma once

#include <vector>

#include "array.hpp"
#include "reduction.hpp"

namespace foldline::python {

/// The type of dot products of elements of two types.
ElementType dot_type(const Array& x, const Array& y);

/// A reduction of pairs of two arrays, its axes still to be added.
Reduction reduction_of_pairs(Operation operation, const Array& x, const Array& y);

/// An axis of both; distances in bytes, whatever they are if it has one element.
Axis axis_of_pairs(std::int64_t extent, std::int64_t x_stride, std::int64_t y_stride,
                   std::int64_t out_stride = 0);

/// The axes of dot products of two arrays along an axis of each; the others are broadcast.
struct PairAxes {
  AxisValues shape, x_strides, y_strides;
  std::vector<bool> is_reduced;
};
PairAxes axes_of_vecdot(const Array& x, const Array& y, std::int64_t axis);

/// Adds axes to a reduction of pairs. Strides are in bytes.
void add_axes(Reduction& reduction, const PairAxes& axes, bool keepdims, const AxisValues& out_strides);

/// In bytes, seen in the shape of x: of weights of that shape, or of a vector of them along the one axis.
/// Throws TypeError or ValueError for others.
AxisValues strides_of_weights(const Array& x, const Array& weights, const std::vector<bool>& is_reduced,
                              nb::handle axis);

void register_pairs(nb::module_& module);
void register_products(nb::module_& module);

}  // namespace foldline::python
