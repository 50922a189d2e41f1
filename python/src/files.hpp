// Arrays and texts in files.
#pragma once

#include "numpy_api.hpp"

namespace foldline::python {

void register_files(nb::module_& module);

}  // namespace foldline::python
