// The functions that make one number of one array, or one for each place along axes.
#pragma once

#include <optional>

#include "foldline/operation.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

/// What a function is called with; NumPy's meanings.
struct ReduceCall {
  const char* name;
  Operation operation;
  nb::handle x, axis, dtype, out, where;
  bool keepdims = false;
  bool without_nan = false;
  ReduceOptions options = {};
  bool is_norm = false;  // has floating-point results of integers, too
  nb::handle initial = Py_None;
};
nb::object reduce_array(const ReduceCall& call);

void register_sums(nb::module_& module);
void register_moments(nb::module_& module);
void register_extrema(nb::module_& module);

}  // namespace foldline::python
