// The checks of asynchronous calls.
#pragma once

#include <string_view>

#include "foldline/context.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// Throws InvalidArgument unless the context has a CUDA device, a workspace on it, and, if a result of sums
/// or extrema of `elements` as `result` may not fit, a status to report that in.
void require_async(std::string_view caller, const Context& context, ElementType elements, ElementType result);

}  // namespace foldline
