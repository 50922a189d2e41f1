/// @file
/// Reductions of the elements that a mask takes, as NumPy's `where=`.
///
///     double mean = 0;
///     const std::int64_t taken = foldline::reduce_where(foldline::Operation::mean, x, is_valid, &mean);
#pragma once

#include <cstdint>

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Any one-vector operation that gives one number, of the x[i] whose where[i] is not zero; `result` is one
/// element, of the type that the result is rounded to, once. The mask is of bool or uint8, as long as x.
/// Returns how many elements were taken: of none, the result is that of an empty vector, and `result` is
/// left as it was for the minimum, maximum and range, which there are none of.
///
/// Time O(size): elements that are taken are copied together, block by block. Memory O(1) for each thread.
/// On the CPU.
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

}  // namespace foldline
