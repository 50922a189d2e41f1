// Elements that a mask takes, where views describe them: the library's own reduction.
#pragma once

#include "reduction.hpp"

namespace foldline::python {

/// Whether there is a mask, and nothing else that a view cannot say.
bool is_masked_view(const Reduction& reduction);

/// Throws InvalidArgument for a smallest or largest of no elements.
void reduce_masked(const Reduction& reduction);

/// Whether NaNs are left out of neighbouring results, for which masks of some of them are small.
bool has_neighbours_without_nan(const Reduction& reduction);

/// By masks of the numbers, for some hundred results at a time.
void reduce_neighbours_without_nan(const Reduction& reduction);

}  // namespace foldline::python
