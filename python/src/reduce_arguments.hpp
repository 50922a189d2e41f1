// What the arguments of a reduction say of its results, wherever the array is.
#pragma once

#include <vector>

#include "array.hpp"
#include "reduction.hpp"
#include "reductions.hpp"

namespace foldline::python {

/// The type of results where none is asked for.
ElementType usual_type(const ReduceCall& call, ElementType elements);

/// Throws a TypeError for integers where results are no whole numbers.
void check_result_type(const char* caller, Operation operation, ElementType type);

/// Throws a ValueError for extrema of nothing.
void require_elements(const ReduceCall& call, const Reduction& reduction);

/// The number that each result begins with, an array of one element; without data if there is none. That of
/// an extremum is rounded to the elements' type. Throws TypeError, ValueError for more than one number, and
/// OverflowError if the elements' type cannot hold it.
Array initial_of(const ReduceCall& call, ElementType elements);

AxisValues shape_of_results(const AxisValues& shape, const std::vector<bool>& is_reduced, bool keepdims);

/// Adds the axes of an array to a reduction that has none. Strides are in bytes; those of the results have an
/// entry for each of their axes.
void add_axes(Reduction& reduction, const AxisValues& shape, const AxisValues& strides,
              const AxisValues& mask_strides, const std::vector<bool>& is_reduced, bool keepdims,
              const AxisValues& out_strides);

}  // namespace foldline::python
