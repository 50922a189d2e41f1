#include "array.hpp"

#include <string>

#include "columns.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu.hpp"

namespace foldline::python {

namespace {

bool is_masked(nb::handle x) {
  const nb::dict modules = nb::borrow<nb::dict>(PyImport_GetModuleDict());
  if (!modules.contains("numpy.ma")) return false;
  return nb::isinstance(x, modules["numpy.ma"].attr("MaskedArray"));
}

bool has_dlpack(nb::handle x) {
  return PyLong_Check(x.ptr()) == 0 && PyFloat_Check(x.ptr()) == 0 && PyList_Check(x.ptr()) == 0 &&
         nb::hasattr(x, "__dlpack__");
}

}  // namespace

bool Array::is_viewable() const {
  if (is_swapped) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] > 1 && strides[axis] % size_of(type) != 0) return false;
  return true;
}

ArrayView Array::view() const {
  return {data, type, shape, AxisValues::generate(shape.size(), [this](std::size_t axis) {
            return shape[axis] > 1 ? strides[axis] / size_of(type) : 1;
          })};
}

void refuse_masked(nb::handle x, const std::string& message) {
  if (PyArray_Check(x.ptr()) && !PyArray_CheckExact(x.ptr()) && is_masked(x)) raise(PyExc_TypeError, message);
}

Array array_from_numpy(nb::object owner, const char* caller) {
  PyArrayObject* const numpy = as_array(owner);
  PyArray_Descr* const dtype = PyArray_DESCR(numpy);
  const std::optional<ElementType> type = element_type_of(dtype);
  if (!type) refuse_dtype(reinterpret_cast<PyObject*>(dtype), caller);
  const auto axes = static_cast<std::size_t>(PyArray_NDIM(numpy));
  Array array;
  array.data = static_cast<const std::byte*>(PyArray_DATA(numpy));
  array.type = *type;
  array.is_swapped = PyArray_ISBYTESWAPPED(numpy);
  array.shape = AxisValues::generate(axes, [&](std::size_t axis) { return PyArray_DIMS(numpy)[axis]; });
  array.strides = AxisValues::generate(axes, [&](std::size_t axis) { return PyArray_STRIDES(numpy)[axis]; });
  array.size = PyArray_SIZE(numpy);
  array.owner = std::move(owner);
  return array;
}

Array array_from(nb::handle x, const char* caller) {
  if (PyArray_CheckExact(x.ptr())) return array_from_numpy(nb::borrow(x), caller);
  if (PyArray_Check(x.ptr())) {
    refuse_masked(
        x, std::string(caller) + ": a masked array; give x.data and where=~numpy.ma.getmaskarray(x) instead");
    return array_from_numpy(nb::borrow(x), caller);
  }
  if (x.is_none()) raise(PyExc_TypeError, std::string(caller) + ": None is no array");
  if (const std::optional<Column> column = column_from(x, caller)) {
    if (column->present.is_valid()) refuse_missing(caller);
    return array_from(column->values, caller);
  }
  if (has_dlpack(x)) return array_from_dlpack(x, caller);
  if (is_on_gpu(x)) refuse_gpu(caller);
  return array_from_numpy(take(PyArray_FromAny(x.ptr(), nullptr, 0, 0, 0, nullptr)), caller);
}

Array mask_from(nb::handle where, const char* caller) {
  Array mask = array_from(where, caller);
  if (mask.type != ElementType::boolean)
    raise(PyExc_TypeError, std::string(caller) + ": where= has elements of type " +
                               std::string(name_of(mask.type)) + "; it has to be of bool");
  return mask;
}

}  // namespace foldline::python
