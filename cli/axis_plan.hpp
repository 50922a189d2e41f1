// Chooses the blocks in which an array is reduced along an axis.
#pragma once

#include <cstdint>

#include "axis_layout.hpp"

namespace foldline::cli {

/// What the choice depends on.
struct AxisTask {
  AxisLayout layout;
  std::int64_t element_bytes, result_bytes;
  bool in_any_order;  ///< true for a file; a pipe is read from front to back
  bool on_gpu;
  int threads;
};

/// Either blocks of whole vectors along the axis: `matrices` matrices, or `columns` of one that is too large.
/// Or accumulators of `columns` at a time, which are given `rows` rows after `rows`.
struct AxisBlocks {
  bool whole_vectors;
  std::int64_t matrices, columns, rows;
  int threads;
};

/// All blocks and accumulators together take some 64 MB at most, but for pipes, which need an accumulator for
/// each column or, where that is less, a whole matrix; and for GPUs, which add whole vectors.
AxisBlocks plan_axis_blocks(const AxisTask& task);

/// What an accumulator takes for a column, where the elements are not far apart.
constexpr std::int64_t accumulator_bytes = 48;

}  // namespace foldline::cli
