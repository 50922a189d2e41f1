// Whether arrays have memory in common.
#pragma once

#include "foldline/array_view.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Whether an element of one array has a byte in common with one of the other: columns of one table may lie
/// between each other without. Exact, except of two arrays in both of which a step of an axis is shorter than
/// what narrower axes span (windows that slide): those are said to overlap if their ranges of addresses do.
/// O(1) if these ranges are disjoint or the steps agree, else at most the size of the smaller array.
bool have_common_memory(const ArrayView& x, const ArrayView& y);
bool have_common_memory(const VectorView& x, const VectorView& y);

}  // namespace foldline
