// Reductions of segments and of groups.
#pragma once

#include <cstdint>

#include "foldline/context.hpp"
#include "foldline/vector_view.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

/// How many groups keys are of: one more than the largest. Throws ValueErrors.
std::int64_t groups_of(const VectorView& keys, const Context& context, const char* caller);

/// The argument `groups`. Throws ValueError if it is negative.
std::int64_t groups_of_argument(nb::handle groups, const VectorView& keys, const Context& context,
                                const char* caller);

void register_segments(nb::module_& module);

}  // namespace foldline::python
