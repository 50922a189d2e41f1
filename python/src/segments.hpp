// Reductions of segments and of groups.
#pragma once

#include "numpy_api.hpp"

namespace foldline::python {

void register_segments(nb::module_& module);

}  // namespace foldline::python
