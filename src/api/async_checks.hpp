// The checks of asynchronous calls.
#pragma once

#include <string_view>

#include "foldline/async.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// Throws InvalidArgument unless the queue has a workspace and, where a result of sums or extrema of
/// `elements` as `result` may not fit, a place to say so, and the context leaves it to the queue where the
/// work is done.
void require_async(std::string_view caller, const async::Queue& queue, const Context& context,
                   ElementType elements, ElementType result);

}  // namespace foldline
