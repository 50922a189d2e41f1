// The cells of the grid: operations, types, shapes and axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <foldline/foldline.hpp>

namespace foldline::bench {

/// A reduction or a scan along an axis of an array.
struct GridCell {
  std::string operation;  ///< a name of Operation, or "inclusive_scan"
  ElementType type, result;
  std::vector<std::int64_t> shape, strides;  ///< in elements
  std::int64_t axis;
  std::string base;    ///< the shape before it was scaled
  std::string layout;  ///< "dense", "transposed" (of a dense one) or "sliced" (every second of the last axis)

  bool is_scan() const { return operation == "inclusive_scan"; }
  std::int64_t elements() const;
  /// Elements from the first to the last one in memory.
  std::int64_t span() const;
  std::int64_t results() const { return is_scan() ? elements() : elements() / shape[axis_index()]; }
  /// Read and, by scans, written.
  std::int64_t bytes() const { return elements() * size_of(type) + results() * size_of(result); }
  std::size_t axis_index() const { return static_cast<std::size_t>(axis); }
  std::vector<std::int64_t> result_shape() const;
  ArrayView x(const void* data) const;
  MutableArrayView out(void* data) const;
};

struct GridOptions {
  std::vector<std::string> types, operations;  ///< empty: all of the device
  std::string shapes;                          ///< a file; empty: the usual ones
  std::int64_t bytes = std::int64_t{1} << 28;  ///< what each array is scaled up to, at least
  double seconds = 0;                          ///< for all types together; 0: no limit
  bool on_gpu = false;
};

/// The operation of a cell that is no scan.
Operation operation_of(const GridCell& cell);

/// A line of a file is "type shape axis", as "float64 1000x20000 0", with "*" for all types and then, if it
/// is not dense, the layout. The longest axis is doubled or halved until the larger of array and scan has the
/// bytes asked for, and less than twice as many. Throws std::runtime_error, which names the line, for one
/// that makes no sense.
std::vector<GridCell> grid_cells(const GridOptions& options);

}  // namespace foldline::bench
