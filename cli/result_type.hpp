// The type of results.
#pragma once

#include <span>

#include "options.hpp"

namespace foldline::cli {

/// --output-type if it is given, else float64; if all elements are integers, a 64-bit integer for sums, and
/// for extrema the elements' type (a 64-bit one if they have several).
ElementType result_type(Operation operation, std::span<const ElementType> elements, const Options& options);

}  // namespace foldline::cli
