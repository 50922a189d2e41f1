// Results that are neighbours in memory as their elements are: added up side by side, row by row.
#pragma once

#include "reduction.hpp"

namespace foldline::python {

/// Whether reduce_columns takes it: one array, whose elements of neighbouring results are neighbours.
bool has_neighbouring_results(const Reduction& reduction);

/// All results by ColumnAccumulators.
void reduce_columns(const Reduction& reduction);

}  // namespace foldline::python
