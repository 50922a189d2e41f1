// foldline.Accumulator, and sums of what is no array.
#pragma once

#include "numpy_api.hpp"

namespace foldline::python {

void register_accumulator(nb::module_& module);
void register_fsum(nb::module_& module);

}  // namespace foldline::python
