#include "element_types.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>

#include "errors.hpp"

namespace foldline::python {

namespace {

// Types that other packages add have numbers of their own, given when they are imported.
std::atomic<int> bfloat16_number = -1;

bool is_bfloat16(PyArray_Descr* dtype) {
  if (dtype->type_num < NPY_USERDEF) return false;
  if (dtype->type_num == bfloat16_number.load(std::memory_order_relaxed)) return true;
  const nb::object name = nb::handle(reinterpret_cast<PyObject*>(dtype->typeobj)).attr("__name__");
  if (PyDataType_ELSIZE(dtype) != 2 || nb::cast<std::string>(name) != "bfloat16") return false;
  bfloat16_number.store(dtype->type_num, std::memory_order_relaxed);
  return true;
}

std::optional<ElementType> integer_type_of(std::int64_t size, bool is_signed) {
  for (const ElementType type : element_types)
    if (!is_floating(type) && type != ElementType::boolean && size_of(type) == size &&
        foldline::is_signed(type) == is_signed)
      return type;
  return std::nullopt;
}

nb::object make_dtype(ElementType type) {
  if (type != ElementType::bfloat16) {
    const std::string name(name_of(type));
    return nb::module_::import_("numpy").attr("dtype")(name);
  }
  try {
    return nb::module_::import_("numpy").attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    raise(PyExc_TypeError,
          "NumPy has bfloat16 results only with the package ml_dtypes: pip install ml_dtypes, "
          "or ask for dtype=\"float32\"");
  }
}

}  // namespace

std::optional<ElementType> element_type_of(PyArray_Descr* dtype) {
  switch (dtype->type_num) {
    case NPY_BOOL:
      return ElementType::boolean;
    case NPY_HALF:
      return ElementType::half;
    case NPY_FLOAT:
      return ElementType::float32;
    case NPY_DOUBLE:
      return ElementType::float64;
    case NPY_BYTE:
    case NPY_SHORT:
    case NPY_INT:
    case NPY_LONG:
    case NPY_LONGLONG:
      return integer_type_of(PyDataType_ELSIZE(dtype), true);
    case NPY_UBYTE:
    case NPY_USHORT:
    case NPY_UINT:
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return integer_type_of(PyDataType_ELSIZE(dtype), false);
    default:
      if (is_bfloat16(dtype)) return ElementType::bfloat16;
      return std::nullopt;
  }
}

PyArray_Descr* dtype_of(ElementType type) {
  static std::array<std::atomic<PyObject*>, element_types.size()> known{};
  std::atomic<PyObject*>& slot = known[static_cast<std::size_t>(type)];
  PyObject* dtype = slot.load(std::memory_order_acquire);
  if (dtype == nullptr) {
    PyObject* const made = make_dtype(type).release().ptr();
    if (slot.compare_exchange_strong(dtype, made))
      dtype = made;
    else
      Py_DECREF(made);
  }
  return reinterpret_cast<PyArray_Descr*>(dtype);
}

/// Of bfloat16, which NumPy knows by an object only, and of PyTorch's dtypes.
std::optional<ElementType> element_type_of_name(nb::handle dtype) {
  const bool is_text = PyUnicode_Check(dtype.ptr()) != 0;
  if (!is_text && !nb::cast<std::string>(nb::str(dtype.type())).starts_with("<class 'torch.dtype'"))
    return std::nullopt;
  const std::string text = nb::cast<std::string>(nb::str(dtype));
  const std::string_view prefix = "torch.";
  const std::string_view name = std::string_view(text).substr(text.starts_with(prefix) ? prefix.size() : 0);
  if (is_text && name != "bfloat16") return std::nullopt;
  for (const ElementType type : element_types)
    if (name == name_of(type)) return type;
  return std::nullopt;
}

void refuse_dtype(nb::handle dtype, const char* caller) {
  const std::string name = nb::cast<std::string>(nb::str(dtype));
  std::string advice = "use a real floating-point or integer type of at most 64 bits";
  if (name.starts_with("complex") || name.starts_with(">c") || name.starts_with("<c"))
    advice = "take x.real and x.imag";
  else if (name == "object")
    advice = "give numpy.asarray a dtype, or use foldline.fsum for an iterable of numbers";
  else if (name == "float128" || name == "longdouble")
    advice = "convert it to float64, or split each element into two of them";
  raise(PyExc_TypeError, std::string(caller) + ": there are no exact sums of type " + name + "; " + advice);
}

ElementType element_type_of_argument(nb::handle dtype, const char* caller) {
  PyArray_Descr* converted = nullptr;
  if (const std::optional<ElementType> type = element_type_of_name(dtype)) return *type;
  if (PyArray_DescrConverter(dtype.ptr(), &converted) == 0) throw nb::python_error();
  const nb::object owner = take(converted);
  const std::optional<ElementType> type = element_type_of(converted);
  if (!type) refuse_dtype(owner, caller);
  return *type;
}

nb::object numpy_scalar(const Scalar& value) {
  std::array<char, 8> bytes{};
  value.visit([&](auto element) { std::memcpy(bytes.data(), &element, sizeof element); });
  return take(PyArray_Scalar(bytes.data(), dtype_of(value.type()), nullptr));
}

ElementType promoted(ElementType a, ElementType b) {
  if (a == b) return a;
  const auto is_small = [](ElementType type) {  // all of its values are floats
    return type == ElementType::float32 || size_of(type) < 4;
  };
  if (is_floating(a) || is_floating(b)) {
    const auto holds = [](ElementType floating, ElementType other) {
      if (floating == ElementType::half) return size_of(other) == 1;
      if (floating == ElementType::bfloat16) return size_of(other) == 1;
      return false;
    };
    if (holds(a, b)) return a;
    if (holds(b, a)) return b;
    return is_small(a) && is_small(b) ? ElementType::float32 : ElementType::float64;
  }
  const auto is_unsigned = [](ElementType type) { return !is_signed(type) && type != ElementType::boolean; };
  return is_unsigned(a) && is_unsigned(b) ? ElementType::uint64 : ElementType::int64;
}

}  // namespace foldline::python
