// The type of a result if the options name none.
#pragma once

#include <span>

#include "options.hpp"

namespace foldline::cli {

/// float64; of integers alone, a 64-bit integer for sums, and for extrema their own type (a 64-bit one if
/// they have several).
ElementType result_type(Operation operation, std::span<const ElementType> elements, const Options& options);

}  // namespace foldline::cli
