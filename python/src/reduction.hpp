// Reductions over any axes of arrays that lie in memory in any way: each result is rounded once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/operation.hpp"
#include "foldline/types.hpp"

namespace foldline::python {

/// One or two arrays, of which each element (or pair) counts that a mask has.
struct Operand {
  const std::byte* data = nullptr;
  ElementType type = ElementType::float64;
  bool is_swapped = false;
};

/// An axis that all share. Strides are in bytes: of the first and the second array, of the mask and of the
/// results.
struct Axis {
  static constexpr std::size_t first = 0, second = 1, mask = 2, out = 3;
  std::int64_t extent = 1;
  std::array<std::int64_t, 4> strides{};
};

struct Reduction {
  Operation operation = Operation::sum;
  ReduceOptions options = {};
  Operand x = {}, y = {};
  Operand initial = {};  // one more element of each result, if there is data
  bool has_pairs = false;
  const std::byte* mask = nullptr;  // null: all count
  bool without_nan = false;
  std::vector<Axis> kept, reduced;
  std::byte* out = nullptr;
  ElementType out_type = ElementType::float64;
  Context context = {};
};

/// Writes all results. Calls no Python.
///
/// Reduced axes are put in the order of memory and made one where they lie like one, since no order of adding
/// up changes an exact result. What is one axis then goes to foldline::reduce_axis, what a mask takes to
/// foldline::reduce_axes_where. Anything else, and what begins with a number, is added to one Accumulator for
/// each result, or to a ColumnAccumulator for neighbouring ones, in one pass over the arrays; only NaNs to
/// leave out, short rows and foreign byte orders are copied, a block of a few KiB at a time.
void run(Reduction reduction);

/// Puts the axes that are reduced in the order of memory, and makes them one where they lie like one.
void put_in_order(Reduction& reduction);

/// Adds the elements (or pairs) of a reduction of all axes to an accumulator.
void add_to(Accumulator& accumulator, Reduction reduction);

}  // namespace foldline::python
