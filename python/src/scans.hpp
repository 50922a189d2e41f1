// Prefix sums.
#pragma once

#include "numpy_api.hpp"

namespace foldline::python {

void register_scans(nb::module_& module);

}  // namespace foldline::python
