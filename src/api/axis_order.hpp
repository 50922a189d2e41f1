// The order of axes, and fewer of them.
#pragma once

#include <vector>

#include "contract/backend.hpp"

namespace foldline {

/// Puts axes in the order of memory, nearest neighbours last, and merges those along both of which elements
/// and results are equally distant.
void merge_axes(std::vector<ResultAxis>& axes);

}  // namespace foldline
