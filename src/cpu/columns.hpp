// Columns: what each instruction set provides for reductions along an axis.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.hpp"

namespace foldline::cpu {

/// A block of columns: element (row, column) lies row * row_stride + column * column_stride elements after
/// `data`.
struct Columns {
  const std::byte* data;
  ElementType type;  // a floating-point one
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;

  const std::byte* at(std::int64_t row, std::int64_t column) const {
    return data + (row * row_stride + column * column_stride) * size_of(type);
  }
  /// One column as a vector.
  VectorView column(std::int64_t index) const { return {at(0, index), type, rows, row_stride}; }
};

/// What becomes of the columns: moments(column) is asked for when a block's last row has been added, and
/// takes the column's terms.
class ColumnSink {
 public:
  virtual ~ColumnSink() = default;
  virtual void take(std::int64_t column, Moments& moments) = 0;
};

/// Reduces every column of the block; `one` is 1.0, unknown to the compiler.
using ReduceColumns = void (*)(const Needs& needs, const Columns& block, double one, ColumnSink& sink);

/// The implementation for a target that available_targets() lists.
ReduceColumns reduce_columns_for(Target target);

}  // namespace foldline::cpu
