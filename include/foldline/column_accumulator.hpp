/// @file
/// Reductions of the columns of a matrix whose rows come some at a time: of a file or a stream that memory
/// does not hold.
///
///     foldline::ColumnAccumulator sums(foldline::Operation::sum, foldline::ElementType::float64, 3);
///     while (more(rows)) sums.add(foldline::MatrixView(rows.data(), rows.size() / 3, 3));
///     sums.round(results);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// One reduction in progress for each column of a matrix, side by side. What it holds is exact, so results
/// have the bits of reduce_columns (axes.hpp) of all rows at once, in whatever blocks and order the rows
/// come.
///
/// Adding takes O(elements) time and is as fast as reduce_columns with one thread. Memory for each column is
/// 16 (minimum, maximum) to 120 bytes (variance), and for columns whose elements span more than some 100
/// binades, together with their neighbours, up to 1.8 KB.
///
/// Movable. Not for use by two threads at once; give each its own and merge.
class FOLDLINE_API ColumnAccumulator {
 public:
  /// No rows yet, of so many columns of one element type. Of the context the target counts.
  /// Throws InvalidArgument if the operation is not one of those of reduce_axis, the number of columns is
  /// negative, or the context cannot be met or is for a GPU.
  ColumnAccumulator(Operation operation, ElementType type, std::int64_t columns, const Context& context = {});
  /// @{ What was moved from may only be assigned to or destroyed.
  ColumnAccumulator(ColumnAccumulator&& other) noexcept;
  ColumnAccumulator& operator=(ColumnAccumulator&& other) noexcept;
  /// @}
  ~ColumnAccumulator();

  /// Adds rows. Fastest where they lie densely, row by row, and in large blocks: 1 MiB or more of a file that
  /// is mapped, or what fits the L2 cache of data that has just been read.
  /// Throws InvalidArgument if the number of columns or the type differ.
  void add(const MatrixView& rows);

  /// Adds the rows of another one, which may only be assigned to or destroyed after that. Throws
  /// InvalidArgument if it is for another operation, type or number of columns.
  void merge(ColumnAccumulator&& other);

  /// Number of columns.
  [[nodiscard]] std::int64_t columns() const;
  /// Number of rows added.
  [[nodiscard]] std::int64_t rows() const;

  /// Writes the result of each column, rounded once to out's element type; more rows may be added after that.
  /// `out` has one axis, of as many elements as there are columns. `ddof` and `overflow` as for reduce_axis,
  /// which says what is thrown.
  void round(const MutableArrayView& out, std::optional<std::int64_t> ddof = {},
             Overflow overflow = Overflow::error) const;

 private:
  struct FOLDLINE_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace foldline
