// Copies and pickles of classes of this package.
#pragma once

#include "numpy_api.hpp"

namespace foldline::python {

/// `__reduce__` of a class with `__getstate__` and `__setstate__`: for protocols 0 and 1, whose own way knows
/// no such classes, and so that copies of a subclass are of it.
inline nb::tuple reduce_with_state(nb::handle self) {
  return nb::make_tuple(nb::module_::import_("copyreg").attr("__newobj__"), nb::make_tuple(self.type()),
                        self.attr("__getstate__")());
}

}  // namespace foldline::python
