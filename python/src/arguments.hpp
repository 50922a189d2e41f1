// Functions that have the arguments of numpy.sum.
#pragma once

#include <optional>
#include <string>

#include "reductions.hpp"

namespace foldline::python {

/// A number of any kind, but no text, which float() would read. Throws TypeError for others.
double real_number(nb::handle given);

/// The divisor of a variance: `correction` is the Array API's name for it, `ddof` NumPy's. Throws ValueError
/// if both are given or it is not a whole number from 0 on.
std::optional<std::int64_t> ddof_of(nb::handle correction, nb::handle ddof, const char* caller);

/// Those of means have no `initial`, as in NumPy.
template <Operation operation, bool without_nan = false>
void def_reduction(nb::module_& module, const char* name, const char* caller, const char* documentation) {
  const std::string signature =
      "def " + std::string(name) + "(x, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True";
  const auto def = [&](const auto& function, const std::string& rest, const auto&... more) {
    module.def(name, function, nb::arg().none(), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(),
               nb::arg("out") = nb::none(), nb::arg("keepdims") = false, nb::kw_only(),
               nb::arg("where") = true, more..., nb::sig((signature + rest).c_str()), documentation);
  };
  const auto reduce_with = [caller](nb::handle x, nb::handle axis, nb::handle dtype, nb::handle out,
                                    nb::handle keepdims, nb::handle where, nb::handle initial) {
    return reduce_array({.name = caller,
                         .operation = operation,
                         .x = x,
                         .axis = axis,
                         .dtype = dtype,
                         .out = out,
                         .where = where,
                         .keepdims = is_true(keepdims),
                         .without_nan = without_nan,
                         .initial = initial});
  };
  if constexpr (operation == Operation::mean)
    def([reduce_with](
            nb::handle x, nb::handle axis, nb::handle dtype, nb::handle out, nb::handle keepdims,
            nb::handle where) { return reduce_with(x, axis, dtype, out, keepdims, where, Py_None); },
        ")");
  else
    def(reduce_with, ", initial=None)", nb::arg("initial") = nb::none());
}

}  // namespace foldline::python
