/// @file
/// Reductions of the elements that a mask takes, as NumPy's `where=`: of a vector, or along any axes.
///
///     double mean = 0;
///     const std::int64_t taken = foldline::reduce_where(foldline::Operation::mean, x, is_valid, &mean);
///     foldline::reduce_axes_where(foldline::Operation::mean, image, is_valid, {0, 2}, means, counts);
#pragma once

#include <cstdint>
#include <optional>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Any one-vector operation that gives one number, of the x[i] whose where[i] is not zero; `result` is one
/// element, of the type that the result is rounded to, once. The mask is of bool or uint8, as long as x.
/// Returns how many elements were taken: of none, the result is that of an empty vector, and `result` is
/// left as it was for the minimum, maximum and range, which there are none of.
///
/// Time O(size). Memory O(1) for each thread; on a GPU a copy of what is taken.
///
/// Throws InvalidArgument if the mask is of another type or size, the operation is none of those, ddof is
/// negative or the context cannot be met, and OverflowError if the result does not fit an integer type.
FOLDLINE_API std::int64_t reduce_where(Operation operation, const VectorView& x, const VectorView& where,
                                       const MutableVectorView& result, const ReduceOptions& options = {},
                                       const Context& context = {});

/// The same, of a result of a type known when the program is compiled.
template <Element R>
std::int64_t reduce_where(Operation operation, const VectorView& x, const VectorView& where, R* result,
                          const ReduceOptions& options = {}, const Context& context = {}) {
  return reduce_where(operation, x, where, MutableVectorView(result, 1), options, context);
}

/// Reduces the taken elements of `a` along `axes`, all of them together, into `out`. Axes are different ones
/// in any order; a negative one counts from the last, -1. Of no axes each element is a result of its own.
/// `out` has a's shape without them. Each result is, bit for bit, what reduce_where gives for its elements.
///
/// `where` is of bool or uint8; what is not zero takes. It is as wide as `a` in NumPy's sense: its axes are
/// the last ones of `a`, each of a's length or of one element, which then stands for all. `counts`, if given,
/// is an array of int64 of out's shape and gets how many elements each result was made of. A result of no
/// elements is that of an empty vector; a minimum, maximum or range of none is not written.
///
/// `out` and `counts` may lie between the elements of the others, but have no memory in common with them or
/// with each other. Arrays have at most 64 axes, of any strides.
///
/// Time O(elements) whatever the layout, fastest where neighbours in memory are reduced or belong to
/// neighbouring results; memory O(1) for each thread, on a GPU 24 bytes a result and a copy of what is taken.
///
/// Throws InvalidArgument if an axis does not exist or is named twice, shapes or types do not fit, outputs
/// overlap, the operation is none of those, ddof is negative or the context cannot be met; nothing is written
/// then. Throws OverflowError if a result does not fit an integer type; what is in `out` then is
/// unspecified.
FOLDLINE_API void reduce_axes_where(Operation operation, const ArrayView& a, const ArrayView& where,
                                    const AxisValues& axes, const MutableArrayView& out,
                                    const std::optional<MutableArrayView>& counts = {},
                                    const ReduceOptions& options = {}, const Context& context = {});

}  // namespace foldline
