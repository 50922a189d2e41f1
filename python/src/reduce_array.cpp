// From the arguments of a call to a Reduction.
#include <string>

#include "array.hpp"
#include "axes.hpp"
#include "columns.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/operations.hpp"
#include "gpu.hpp"
#include "output.hpp"
#include "reduce_arguments.hpp"
#include "reduction.hpp"
#include "reductions.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

/// A NumPy array that lies densely, all of it, without any more wishes: the call that has to be quick.
bool is_simple(const ReduceCall& call) {
  if (PyArray_CheckExact(call.x.ptr()) == 0 || !call.axis.is_none() || !call.dtype.is_none() ||
      !call.out.is_none() || call.where.ptr() != Py_True || call.keepdims || call.without_nan ||
      call.is_norm || !call.initial.is_none())
    return false;
  PyArrayObject* const x = as_array(call.x);
  return (PyArray_FLAGS(x) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) != 0 &&
         PyArray_ISNOTSWAPPED(x) != 0 && PyArray_SIZE(x) > 0;
}

nb::object reduce_simple(const ReduceCall& call) {
  PyArrayObject* const x = as_array(call.x);
  const std::optional<ElementType> type = element_type_of(PyArray_DESCR(x));
  if (!type) refuse_dtype(reinterpret_cast<PyObject*>(PyArray_DESCR(x)), call.name);
  const std::int64_t size = PyArray_SIZE(x);
  const nb::object alive = nb::borrow(call.x);
  Scalar result;
  {
    const WithoutLock unlocked(size);
    result =
        reduce(call.operation, VectorView(PyArray_DATA(x), *type, size), call.options, current_context());
  }
  return numpy_scalar(result);
}

/// The strides of a mask, as wide as x; 0 if there is none.
AxisValues mask_strides(const Array& mask, const Array& x, const char* caller) {
  return broadcast_strides(mask.shape, mask.strides, x.shape, caller);
}

/// A reduction whose axes are still to be added.
Reduction reduction_of(const ReduceCall& call, const Array& x, const Array& mask, const Output& output) {
  Reduction reduction;
  reduction.operation = call.operation;
  reduction.options = call.options;
  reduction.x = {x.data, x.type, x.is_swapped};
  reduction.mask = mask.data;
  reduction.without_nan = call.without_nan && is_floating(x.type);
  reduction.out = output.data();
  reduction.out_type = output.type();
  reduction.context = current_context();
  return reduction;
}

}  // namespace

/// A reduction of the values of a column that are there.
static nb::object reduce_present(ReduceCall call, const Column& column) {
  if (!call.without_nan) refuse_missing(call.name);
  nb::object where = column.present;
  if (call.where.ptr() != Py_True) {
    static_cast<void>(mask_from(call.where, call.name));
    where = nb::module_::import_("numpy").attr("logical_and")(call.where, where);
  }
  call.x = column.values;
  call.where = where;
  return reduce_array(call);
}

nb::object reduce_array(const ReduceCall& call) {
  if (is_simple(call)) return reduce_simple(call);
  if (is_on_gpu(call.x)) {
    if (!call.initial.is_none())
      raise(PyExc_TypeError, std::string(call.name) + ": initial= is for arrays in memory of the host");
    return reduce_on_gpu(call);
  }
  if (PyArray_Check(call.x.ptr()) == 0)
    if (const std::optional<Column> column = column_from(call.x, call.name);
        column && column->present.is_valid())
      return reduce_present(call, *column);
  const Array x = array_from(call.x, call.name);
  const std::vector<bool> is_reduced = axes_of_argument(call.axis, x.axes());
  Array mask;
  if (call.where.ptr() != Py_True) mask = mask_from(call.where, call.name);
  const AxisValues mask_along = mask_strides(mask, x, call.name);
  Output output = Output::make(call.out, call.dtype, shape_of_results(x.shape, is_reduced, call.keepdims),
                               usual_type(call, x.type), x, call.name, mask);
  check_result_type(call.name, call.operation, output.type());
  const Array initial = initial_of(call, x.type);

  Reduction reduction = reduction_of(call, x, mask, output);
  add_axes(reduction, x.shape, x.strides, mask_along, is_reduced, call.keepdims, output.strides());
  reduction.initial = {initial.data, initial.type, initial.is_swapped};
  if (PyArray_SIZE(as_array(output.array())) > 0) require_elements(call, reduction);
  {
    const WithoutLock unlocked(x.size);
    run(std::move(reduction));
  }
  return output.finish(call.name);
}

}  // namespace foldline::python
