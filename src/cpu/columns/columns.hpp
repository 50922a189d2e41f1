// Reductions along an axis: the functions that are compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "contract/backend.hpp"

namespace foldline::cpu {

/// A block of columns: element (row, column) lies row * row_stride + column * column_stride elements after
/// `data`.
struct Columns {
  const std::byte* data;
  ElementType type;
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  bool from_memory;  // larger than the caches

  const std::byte* at(std::int64_t row, std::int64_t column) const {
    return data + (row * row_stride + column * column_stride) * size_of(type);
  }
  /// Whether rows follow each other without gaps.
  bool is_dense() const { return column_stride == 1 && row_stride == columns; }
  /// One column as a vector.
  VectorView column(std::int64_t index) const { return {at(0, index), type, rows, row_stride}; }
  /// The rows [first, first + count).
  Columns rows_from(std::int64_t first, std::int64_t count) const {
    return {at(first, 0), type, count, columns, row_stride, column_stride, from_memory};
  }
};

/// Results that the kernels may round themselves.
enum class ColumnResult : std::uint8_t { other, sum, mean };

/// Receives the columns of a block at the end: their sums, or results that kernels have rounded.
class ColumnSink {
 public:
  explicit ColumnSink(ColumnResult wanted = ColumnResult::other, ElementType type = ElementType::float64)
      : wanted_(wanted), type_(type) {}
  virtual ~ColumnSink() = default;
  /// Takes the terms of one column.
  virtual void take(std::int64_t column, Moments& moments) = 0;
  /// Takes results, if they are wanted, of columns [first, first + count) as doubles that are values of
  /// `type`. Those that are not certain are wrong; take() follows for them.
  virtual void take_results(std::int64_t first, std::int64_t count, const double* results) = 0;

  /// The results that may be given, and their type: float or double.
  ColumnResult wanted() const { return wanted_; }
  ElementType type() const { return type_; }

 private:
  ColumnResult wanted_;
  ElementType type_;
};

/// Sums or extrema, as the operation needs, of every column of a block, over some of its rows. Threads either
/// have one object each for all columns, which are merged at the end, or blocks of their own.
class BlockSums {
 public:
  virtual ~BlockSums() = default;
  /// Resets to no rows, and chooses the columns' windows by the first few rows of the block, which must have
  /// one.
  virtual void begin(const Columns& block) = 0;
  /// Adds rows of the block. `one` is 1.0, unknown to the compiler.
  virtual void add(const Columns& rows, double one) = 0;
  /// Adds the rows of `other`, which was made for the same block and is unusable afterwards.
  virtual void merge(BlockSums& other) = 0;
  /// Hands the columns to the sink after every row has been added. If the rows are no longer in memory, the
  /// block's data is null; then a zero sum is flagged as if all its elements were -0, which the caller
  /// corrects.
  virtual void finish(const Columns& block, ColumnSink& sink) const = 0;
  /// begin, add and finish for a whole block, whose columns begin and end group by group, so that memory is
  /// never idle.
  virtual void reduce(const Columns& block, double one, ColumnSink& sink) = 0;
};

/// Makes sums for blocks of such elements and at most so many columns.
using MakeBlockSums = std::unique_ptr<BlockSums> (*)(const Needs& needs, ElementType type,
                                                     std::int64_t columns);

// The implementations for a target that available_targets() lists. Each is a source of its own: together they
// would take a compiler more than a minute.
MakeBlockSums sums_of_doubles(Target target);
MakeBlockSums sums_of_floats(Target target);          // and of halves and bfloat16s
MakeBlockSums sums_of_bytes(Target target);           // of 8 bits, and bools
MakeBlockSums sums_of_short_integers(Target target);  // of 16 bits
MakeBlockSums sums_of_long_integers(Target target);   // of 32 and 64 bits

/// The one for elements of a type.
inline MakeBlockSums block_sums_for(Target target, ElementType type) {
  if (type == ElementType::float64) return sums_of_doubles(target);
  if (is_floating(type)) return sums_of_floats(target);
  switch (size_of(type)) {
    case 1:
      return sums_of_bytes(target);
    case 2:
      return sums_of_short_integers(target);
    default:
      return sums_of_long_integers(target);
  }
}

}  // namespace foldline::cpu
