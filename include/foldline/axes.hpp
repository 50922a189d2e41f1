/// @file
/// Reductions along an axis of an array: column sums, row norms, means over any axis. Each result is, bit for
/// bit, what the operation of operations.hpp gives for the elements along the axis as a VectorView: the
/// correctly rounded value of the exact result (docs/contract.md).
///
///     foldline::column_sums(foldline::MatrixView(data, rows, columns));            // one double per column
///     foldline::reduce_axis(foldline::Operation::mean, image, -1, out);            // over the last axis
///
/// Time is O(elements) whatever the layout, fastest where the array lies densely in memory; memory O(1) per
/// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// Reduces `a` along `axis` into `out`, which has a's shape without that axis; a negative axis counts from
/// the last one, -1. The results have out's element type: each is rounded once to it. `options` has the
/// divisor of a variance. All one-vector operations that give one number per vector: not dot, weighted_mean
/// and statistics.
///
/// Along an axis of no elements a result is what the operation gives for an empty vector. An `out` of no
/// elements is fine. `out` may lie between the elements of `a`, as a column of a larger table does. Nothing
/// is written if the call throws, unless it is an OverflowError: results of an integer type are exact, or
/// that error (Overflow::wrap: modulo 2^bits).
///
/// Throws InvalidArgument if the axis does not exist, the shapes do not fit, the operation is not one of
/// those above, ddof is negative, `out` has memory in common with `a`, the context cannot be met, or for the
/// minimum or maximum of no elements.
FOLDLINE_API void reduce_axis(Operation operation, const ArrayView& a, std::int64_t axis,
                              const MutableArrayView& out, const ReduceOptions& options = {},
                              const Context& context = {});

/// One result per column: reduce_axis along the rows. `out` has as many elements as the matrix has columns.
inline void reduce_columns(Operation operation, const MatrixView& a, const MutableArrayView& out,
                           const ReduceOptions& options = {}, const Context& context = {}) {
  reduce_axis(operation, a.array(), 0, out, options, context);
}

/// One result per row: reduce_axis along the columns. `out` has as many elements as the matrix has rows.
inline void reduce_rows(Operation operation, const MatrixView& a, const MutableArrayView& out,
                        const ReduceOptions& options = {}, const Context& context = {}) {
  reduce_axis(operation, a.array(), 1, out, options, context);
}

/// The sum of each column.
template <Element R = double>
[[nodiscard]] std::vector<R> column_sums(const MatrixView& a, const Context& context = {}) {
  std::vector<R> sums(static_cast<std::size_t>(a.columns()));
  reduce_columns(Operation::sum, a, sums, {}, context);
  return sums;
}

/// The sum of each row.
template <Element R = double>
[[nodiscard]] std::vector<R> row_sums(const MatrixView& a, const Context& context = {}) {
  std::vector<R> sums(static_cast<std::size_t>(a.rows()));
  reduce_rows(Operation::sum, a, sums, {}, context);
  return sums;
}

}  // namespace foldline
