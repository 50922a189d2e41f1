// The checks of calls that nobody waits for.
#pragma once

#include <string_view>

#include "foldline/context.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// Throws InvalidArgument unless the context has a device that such calls run on, a workspace there, and,
/// where a result of sums or extrema of `elements` as `result` may not fit, a place to say so.
void require_async(std::string_view caller, const Context& context, ElementType elements, ElementType result);

}  // namespace foldline
