// Arrays of other libraries, by the DLPack protocol: read where they lie.
#include <string>
#include <utility>

#include "array.hpp"
#include "dlpack_layout.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu.hpp"

namespace foldline::python {

namespace {

void require_host(nb::handle x, const char* caller) {
  const long kind = dlpack_kind_of(x);
  if (kind == dlpack_cuda || kind == dlpack_managed) refuse_gpu(caller);
  if (kind != dlpack_cpu && kind != dlpack_pinned)
    raise(PyExc_TypeError, std::string(caller) +
                               ": the array is in the memory of a device that foldline does not compute on; "
                               "copy it to the host, as x.cpu() does in PyTorch");
}

nb::object capsule_of(nb::handle x) {
  const nb::object export_ = x.attr("__dlpack__");
  try {
    return export_(nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {  // from before DLPack 1
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return export_();
}

const dlpack::dltensor& tensor_in(nb::handle capsule, const char* caller) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    const auto* const versioned =
        static_cast<const VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (versioned->major == 1) return versioned->tensor;
    raise(PyExc_TypeError, std::string(caller) + ": __dlpack__ gave version " +
                               std::to_string(versioned->major) +
                               " of the protocol; this package knows 0 and 1");
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") == 0)
    raise(PyExc_TypeError, std::string(caller) + ": __dlpack__ gave no DLPack capsule");
  return static_cast<const ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))->tensor;
}

ElementType element_type_of_dlpack(const dlpack::dtype& type, const char* caller) {
  for (const ElementType known : element_types) {
    const dlpack::dtype known_type = dlpack_type_of(known);
    if (type.code == known_type.code && type.bits == known_type.bits && type.lanes == 1) return known;
  }
  const bool is_complex = type.code == static_cast<std::uint8_t>(dlpack::dtype_code::Complex);
  raise(PyExc_TypeError,
        std::string(caller) + ": there are no exact sums of " +
            (is_complex ? "complex" + std::to_string(type.bits) + "; take x.real and x.imag"
                        : "elements of DLPack's type code " + std::to_string(type.code) + ", " +
                              std::to_string(type.bits) +
                              " bits; use a real floating-point or integer type of at most 64 bits"));
}

constexpr int most_axes = 64;  // NumPy's and PyTorch's limit

/// The shape, and its product in `size`.
AxisValues shape_of(const dlpack::dltensor& tensor, std::int64_t& size, const char* caller) {
  if (tensor.ndim < 0 || tensor.ndim > most_axes)
    raise(PyExc_ValueError, std::string(caller) + ": __dlpack__ gave an array of " +
                                std::to_string(tensor.ndim) + " axes; use 0 to 64");
  size = 1;
  return AxisValues::generate(static_cast<std::size_t>(tensor.ndim), [&](std::size_t axis) {
    const std::int64_t extent = tensor.shape[axis];
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size))
      raise(PyExc_ValueError, std::string(caller) + ": __dlpack__ gave a shape with a negative extent, " +
                                  "or of more elements than 64 bits count");
    return extent;
  });
}

}  // namespace

long dlpack_kind_of(nb::handle x) {
  const nb::object device = x.attr("__dlpack_device__")();
  const nb::object number = take(PySequence_GetItem(device.ptr(), 0));
  const long kind = PyLong_AsLong(take(PyNumber_Long(number.ptr())).ptr());
  if (kind == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return kind;
}

Array array_from_capsule(nb::object capsule, nb::handle giver, const char* caller) {
  Array array;
  const dlpack::dltensor& tensor = tensor_in(capsule, caller);
  array.owner = std::move(capsule);  // gives the memory back when it goes
  array.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  array.type = element_type_of_dlpack(tensor.dtype, caller);
  array.shape = shape_of(tensor, array.size, caller);
  const std::size_t axes = array.shape.size();
  const AxisValues strides =
      tensor.strides == nullptr
          ? row_major_strides(array.shape)
          : AxisValues::generate(axes, [&](std::size_t axis) { return tensor.strides[axis]; });
  array.strides =
      AxisValues::generate(axes, [&](std::size_t axis) { return strides[axis] * size_of(array.type); });
  array.giver = nb::borrow(giver);
  return array;
}

Array array_from_dlpack(nb::handle x, const char* caller) {
  require_host(x, caller);
  // A view may be of the negatives of what is in memory, which its capsule does not say.
  if (is_torch_tensor(x) && nb::cast<bool>(x.attr("is_neg")())) {
    const nb::object resolved = x.attr("resolve_neg")();
    return array_from_capsule(capsule_of(resolved), resolved, caller);
  }
  return array_from_capsule(capsule_of(x), x, caller);
}

}  // namespace foldline::python
