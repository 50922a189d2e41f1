// sum, nansum and vector_norm.
#include "arguments.hpp"
#include "errors.hpp"
#include "reductions.hpp"

namespace foldline::python {

namespace {

nb::object vector_norm(nb::handle x, nb::handle axis, nb::handle keepdims, nb::handle ord, nb::handle dtype) {
  const double order = real_number(ord);
  if (order != 1 && order != 2)
    raise(PyExc_ValueError, "foldline.vector_norm: ord has to be 1 or 2; others are not exact yet");
  return reduce_array({.name = "foldline.vector_norm",
                       .operation = order == 1 ? Operation::abs_sum : Operation::two_norm,
                       .x = x,
                       .axis = axis,
                       .dtype = dtype,
                       .out = nb::none(),
                       .where = Py_True,
                       .keepdims = is_true(keepdims),
                       .is_norm = true});
}

}  // namespace

void register_sums(nb::module_& module) {
  def_reduction<Operation::sum>(module, "sum", "foldline.sum",
                                R"(The sum of the elements, along `axis` or all of them: exact, rounded once.

Parameters
----------
x : array_like
    Real numbers. Arrays are read where they lie, whatever their strides.
axis : int, tuple of int or None
    Along which; all by default. Over several axes there is still one rounding.
dtype : dtype, optional
    The type that results are rounded to. By default that of floating-point elements; of integers int64, or
    uint64 if they are unsigned. A result that an integer type cannot hold is an OverflowError.
out : array, optional
    Where results go: a NumPy array, or one of x's library on a GPU. They are rounded to its type, if `dtype` is not
    given.
keepdims : bool
    Whether axes that are summed over stay, with one element.
where : array_like of bool
    Which elements count; all by default.
initial : number, optional
    One more number of each sum, which is still rounded once. Of arrays in memory of the host.

Returns
-------
scalar or array
    NumPy's, or of the library that `x` is of.

Examples
--------
>>> import foldline as fl
>>> fl.sum([0.1] * 10)
np.float64(1.0)
>>> fl.sum([1e308, 1e308, -1e308])
np.float64(1e+308)
>>> fl.sum([[1, 2], [3, 4]], axis=0)
array([4, 6])
>>> fl.sum([1.0, 2.0, 4.0], where=[True, False, True])
np.float64(5.0)
)");
  def_reduction<Operation::sum, true>(module, "nansum", "foldline.nansum",
                                      R"(The sum of the elements that are not NaN; otherwise as `sum`.

Examples
--------
>>> import foldline as fl
>>> fl.nansum([1.0, float("nan"), 2.0])
np.float64(3.0)
)");
  module.def("vector_norm", vector_norm, nb::arg().none(), nb::kw_only(), nb::arg("axis") = nb::none(),
             nb::arg("keepdims") = false, nb::arg("ord") = 2, nb::arg("dtype") = nb::none(),
             nb::sig("def vector_norm(x, /, *, axis=None, keepdims=False, ord=2, dtype=None)"),
             R"(The Euclidean norm (`ord` 2) or the sum of magnitudes (`ord` 1): exact, rounded once.

`axis`, `keepdims` and `dtype` are as in `sum`. Nothing overflows or underflows on the way. Norms of integers
are float64.

Examples
--------
>>> import foldline as fl
>>> fl.vector_norm([3e-300, 4e-300])
np.float64(5e-300)
>>> fl.vector_norm([[3, 4], [-5, 12]], axis=1, ord=1)
array([ 7., 17.])
)");
}

}  // namespace foldline::python
