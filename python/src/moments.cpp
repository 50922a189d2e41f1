// mean, var, std, and those that leave NaN out.
#include <cmath>
#include <string>

#include "arguments.hpp"
#include "errors.hpp"
#include "reductions.hpp"

namespace foldline::python {

double real_number(nb::handle given) {
  const double value = PyFloat_AsDouble(given.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

std::optional<std::int64_t> ddof_of(nb::handle correction, nb::handle ddof, const char* caller) {
  if (!correction.is_none() && !ddof.is_none())
    raise(PyExc_ValueError,
          std::string(caller) + ": correction and ddof are two names of one argument; give one");
  const nb::handle given = correction.is_none() ? ddof : correction;
  if (given.is_none()) return std::nullopt;
  const double value = real_number(given);
  if (!(value >= 0 && value < 0x1p53) || value != std::trunc(value))
    raise(PyExc_ValueError, std::string(caller) + ": correction (ddof) has to be a whole number, 0 or more");
  return static_cast<std::int64_t>(value);
}

namespace {

template <Operation operation, bool without_nan = false>
void def_deviation(nb::module_& module, const char* name, const char* caller, const char* documentation) {
  const std::string signature =
      "def " + std::string(name) +
      "(x, /, axis=None, dtype=None, out=None, ddof=None, keepdims=False, *, where=True, correction=None)";
  module.def(
      name,
      [caller](nb::handle x, nb::handle axis, nb::handle dtype, nb::handle out, nb::handle ddof,
               nb::handle keepdims, nb::handle where, nb::handle correction) {
        return reduce_array({.name = caller,
                             .operation = operation,
                             .x = x,
                             .axis = axis,
                             .dtype = dtype,
                             .out = out,
                             .where = where,
                             .keepdims = is_true(keepdims),
                             .without_nan = without_nan,
                             .options = {.ddof = ddof_of(correction, ddof, caller)}});
      },
      nb::arg().none(), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("ddof") = nb::none(), nb::arg("keepdims") = false, nb::kw_only(),
      nb::arg("where") = true, nb::arg("correction") = nb::none(), nb::sig(signature.c_str()), documentation);
}

}  // namespace

void register_moments(nb::module_& module) {
  def_reduction<Operation::mean>(
      module, "mean", "foldline.mean",
      R"(The arithmetic mean: the exact sum divided by the number of elements, rounded once.

Arguments are those of `sum`. Means of integers are float64. The mean of no elements is NaN.

Examples
--------
>>> import foldline as fl
>>> fl.mean([0.1, 0.1, 0.1])
np.float64(0.1)
>>> fl.mean([[1, 2], [3, 5]], axis=1)
array([1.5, 4. ])
)");
  def_deviation<Operation::variance>(
      module, "var", "foldline.var",
      R"(The variance: the exact sum of squared deviations from the exact mean, divided by n - correction, rounded once.

`correction` (NumPy's `ddof`) is 0 by default, 1 for a sample. Other arguments are those of `sum`. NaN if n is
not more than the correction.

Examples
--------
>>> import foldline as fl
>>> fl.var([1e9, 1e9 + 1, 1e9 + 2], correction=1)
np.float64(1.0)
)");
  def_deviation<Operation::standard_deviation>(
      module, "std", "foldline.std",
      R"(The standard deviation: the root of the exact variance, rounded once. Arguments are those of `var`.

Examples
--------
>>> import foldline as fl
>>> fl.std([2, 4, 4, 4, 5, 5, 7, 9])
np.float64(2.0)
)");
  def_reduction<Operation::mean, true>(
      module, "nanmean", "foldline.nanmean",
      R"(The mean of the elements that are not NaN; NaN, without a warning, if all are. Otherwise as `mean`.

Examples
--------
>>> import foldline as fl
>>> fl.nanmean([1.0, float("nan"), 2.0])
np.float64(1.5)
)");
  def_deviation<Operation::variance, true>(
      module, "nanvar", "foldline.nanvar",
      "The variance of the elements that are not NaN; otherwise as `var`.");
  def_deviation<Operation::standard_deviation, true>(
      module, "nanstd", "foldline.nanstd",
      "The standard deviation of the elements that are not NaN; otherwise as `std`.");
}

void register_extrema(nb::module_& module) {
  def_reduction<Operation::minimum>(
      module, "min", "foldline.min",
      R"(The smallest element; NaN if any is. -0.0 is smaller than 0.0. Arguments are those of `sum`.

`initial` is one more number; of integers, one that their type has. With it there is a result of no
elements, too.

Examples
--------
>>> import foldline as fl
>>> fl.min([3, 1, 2])
np.int64(1)
>>> fl.min([3.0, 1.0], where=[False, False], initial=float("inf"))
np.float64(inf)
)");
  def_reduction<Operation::maximum>(
      module, "max", "foldline.max",
      R"(The largest element; NaN if any is. -0.0 is smaller than 0.0. Arguments are those of `min`.

Examples
--------
>>> import foldline as fl
>>> fl.max([[3, 1], [2, 5]], axis=0)
array([3, 5])
)");
}

}  // namespace foldline::python
