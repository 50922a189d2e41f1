// Integrals of samples and of functions.
#pragma once

#include "numpy_api.hpp"

namespace foldline::python {

void register_integrals(nb::module_& module);

}  // namespace foldline::python
