#include "output.hpp"

#include <string>
#include <vector>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"

namespace foldline::python {

namespace {

AxisValues shape_of(PyArrayObject* array) {
  return AxisValues::generate(static_cast<std::size_t>(PyArray_NDIM(array)),
                              [&](std::size_t axis) { return PyArray_DIMS(array)[axis]; });
}

void check_out(nb::handle out, const AxisValues& shape, const char* caller) {
  if (PyArray_Check(out.ptr()) == 0)
    raise(PyExc_TypeError, std::string(caller) + ": out= has to be a NumPy array");
  if (PyArray_ISWRITEABLE(as_array(out)) == 0)
    raise(PyExc_ValueError, std::string(caller) + ": out= is read-only");
  const AxisValues out_shape = shape_of(as_array(out));
  if (!(out_shape == shape))
    raise(PyExc_ValueError, std::string(caller) + ": out= has the shape " + text_of(out_shape) +
                                ", the results have " + text_of(shape));
}

/// Not text, which would be cut to its width, and no times.
bool holds_numbers(PyArray_Descr* dtype) {
  const int type = dtype->type_num;
  return PyTypeNum_ISNUMBER(type) || PyTypeNum_ISOBJECT(type) || PyTypeNum_ISUSERDEF(type);
}

void check_cast(PyArray_Descr* from, PyArray_Descr* to, const char* caller) {
  if (holds_numbers(to) && PyArray_CanCastTypeTo(from, to, NPY_SAME_KIND_CASTING) != 0) return;
  const std::optional<ElementType> from_type = element_type_of(from), to_type = element_type_of(to);
  if (from_type && to_type && is_floating(*from_type) && is_floating(*to_type))
    return;  // bfloat16 is no kind
  const auto name = [](PyArray_Descr* dtype) {
    return nb::cast<std::string>(nb::str(nb::handle(reinterpret_cast<PyObject*>(dtype))));
  };
  raise(PyExc_TypeError, std::string(caller) + ": results of type " + name(from) +
                             " cannot be cast to out='s type " + name(to) + " with casting rule 'same_kind'");
}

/// The bytes from the lowest to the highest that an array reaches.
struct Extent {
  const std::byte *first, *last;
};
Extent extent_of(const Array& array) {
  Extent extent = {array.data, array.data + size_of(array.type)};
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    const std::int64_t reach = array.strides[axis] * (array.shape[axis] - 1);
    (reach < 0 ? extent.first : extent.last) += reach;
  }
  return extent;
}

bool may_overlap(const Array& a, const Array& b) {
  if (a.size == 0 || b.size == 0) return false;
  const Extent of_a = extent_of(a), of_b = extent_of(b);
  return of_a.first < of_b.last && of_b.first < of_a.last;
}

/// Whether results may be written to it as they come.
bool is_direct(const Array& out, const Array& x) {
  bool has_repeats = false;
  for (std::size_t axis = 0; axis < out.shape.size(); ++axis)
    has_repeats |= out.shape[axis] > 1 && out.strides[axis] == 0;
  return out.is_viewable() && !has_repeats && !may_overlap(out, x);
}

nb::object new_array(const AxisValues& shape, PyArray_Descr* dtype) {
  std::vector<npy_intp> extents(shape.begin(), shape.end());
  Py_INCREF(reinterpret_cast<PyObject*>(dtype));
  return take(PyArray_NewFromDescr(&PyArray_Type, dtype, static_cast<int>(extents.size()), extents.data(),
                                   nullptr, nullptr, 0, nullptr));
}

bool is_torch(nb::handle giver) {
  const nb::object module = giver.type().attr("__module__");
  return nb::isinstance<nb::str>(module) && nb::cast<std::string>(module) == "torch";
}

}  // namespace

void require_castable(ElementType from, ElementType to, const char* caller) {
  if (from != to && !(is_floating(from) && is_floating(to))) check_cast(dtype_of(from), dtype_of(to), caller);
}

Output::Output(const AxisValues& shape, ElementType type, nb::object giver)
    : giver_(std::move(giver)), type_(type) {
  // PyTorch has bfloat16 where NumPy need not: its bits travel as integers.
  const bool is_bits = type == ElementType::bfloat16 && giver_.is_valid() && is_torch(giver_);
  array_ = new_array(shape, dtype_of(is_bits ? ElementType::int16 : type));
}

Output Output::make(nb::handle out, nb::handle dtype, const AxisValues& shape, ElementType usual,
                    const Array& x, const char* caller, const Array& mask) {
  const ElementType type = dtype.is_none() ? usual : element_type_of_argument(dtype, caller);
  if (out.is_none()) return {shape, type, x.giver};
  check_out(out, shape, caller);
  PyArray_Descr* const out_dtype = PyArray_DESCR(as_array(out));
  check_cast(dtype_of(type), out_dtype, caller);
  const std::optional<ElementType> out_type = element_type_of(out_dtype);
  if (out_type && (dtype.is_none() || *out_type == type)) {
    const Array array = array_from_numpy(nb::borrow(out), caller);
    if (is_direct(array, x) && !may_overlap(array, mask)) return {nb::borrow(out), *out_type};
  }
  Output copied(shape, dtype.is_none() && out_type ? *out_type : type, nb::object());
  copied.out_ = nb::borrow(out);
  return copied;
}

AxisValues Output::strides() const {
  return AxisValues::generate(static_cast<std::size_t>(PyArray_NDIM(as_array(array_))),
                              [this](std::size_t axis) { return stride(axis); });
}

MutableArrayView Output::view() const {
  const AxisValues shape = shape_of(as_array(array_));
  return {data(), type_, shape, AxisValues::generate(shape.size(), [&](std::size_t axis) {
            return shape[axis] > 1 ? stride(axis) / size_of(type_) : 1;
          })};
}

void Output::fill_with_zero() {
  const nb::int_ zero(0);
  if (PyArray_CopyObject(as_array(array_), zero.ptr()) != 0) throw nb::python_error();
}

nb::object Output::finish(const char* caller) {
  if (is_callers_) return array_;
  if (out_.is_valid()) {
    check_cast(PyArray_DESCR(as_array(array_)), PyArray_DESCR(as_array(out_)), caller);
    if (PyArray_CopyInto(as_array(out_), as_array(array_)) != 0) throw nb::python_error();
    return out_;
  }
  if (giver_.is_valid() && is_torch(giver_)) {
    const nb::module_ torch = nb::module_::import_("torch");
    const nb::object tensor = torch.attr("from_dlpack")(array_);
    return type_ == ElementType::bfloat16 ? tensor.attr("view")(torch.attr("bfloat16")) : tensor;
  }
  if (giver_.is_valid() && nb::hasattr(giver_, "__array_namespace__"))
    return giver_.attr("__array_namespace__")().attr("from_dlpack")(array_);
  if (PyArray_NDIM(as_array(array_)) > 0) return array_;
  return take(PyArray_Return(as_array(array_.release())));
}

}  // namespace foldline::python
