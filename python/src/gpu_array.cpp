// Reads arrays of PyTorch and CuPy by their attributes, which costs least, and others by DLPack and the CUDA
// Array Interface.
#include "gpu_array.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <string>
#include <utility>

#include "element_types.hpp"
#include "errors.hpp"

namespace foldline::python {

namespace {

/// Streams by the numbers that protocols have for them are CUDA's own handles: 1 is the legacy default
/// stream, 2 that of the thread.
void* stream_of(std::uintptr_t number) { return reinterpret_cast<void*>(number); }
void* default_stream() { return stream_of(1); }

AxisValues axis_values_of(nb::handle tuple) {
  return AxisValues::generate(static_cast<std::size_t>(nb::len(tuple)), [&](std::size_t axis) {
    const nb::object number = take(PySequence_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(axis)));
    const long long value = PyLong_AsLongLong(number.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
  });
}

std::int64_t size_of_shape(const AxisValues& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

/// PyTorch's dtypes, in the order of element_types; null for those that it lacks. They live for ever.
const std::array<PyObject*, element_types.size()>& torch_dtypes() {
  static const std::array<PyObject*, element_types.size()> dtypes = [] {
    const nb::module_ torch = nb::module_::import_("torch");
    std::array<PyObject*, element_types.size()> all{};
    for (const ElementType type : element_types) {
      const std::string name(name_of(type));
      all[static_cast<std::size_t>(type)] = nb::getattr(torch, name.c_str(), nb::none()).release().ptr();
    }
    return all;
  }();
  return dtypes;
}

ElementType element_type_of_torch(nb::handle dtype, const char* caller) {
  for (const ElementType type : element_types)
    if (torch_dtypes()[static_cast<std::size_t>(type)] == dtype.ptr()) return type;
  const std::string name = nb::cast<std::string>(nb::str(dtype));
  raise(PyExc_TypeError, std::string(caller) + ": there are no exact sums of type " + name + "; " +
                             (name.starts_with("torch.complex")
                                  ? "take x.real and x.imag"
                                  : "use a real floating-point or integer type of at most 64 bits"));
}

void* torch_stream(int device) {
  static PyObject* const raw_stream = [] {
    return nb::getattr(nb::module_::import_("torch").attr("_C"), "_cuda_getCurrentRawStream", nb::none())
        .release()
        .ptr();
  }();
  if (raw_stream != Py_None) return stream_of(nb::cast<std::uintptr_t>(nb::handle(raw_stream)(device)));
  const nb::object stream = nb::module_::import_("torch").attr("cuda").attr("current_stream")(device);
  return stream_of(nb::cast<std::uintptr_t>(stream.attr("cuda_stream")));
}

GpuArray from_torch(nb::handle given, const char* caller) {
  nb::object x = nb::borrow(given);
  if (nb::cast<bool>(x.attr("requires_grad")) &&
      nb::cast<bool>(nb::module_::import_("torch").attr("is_grad_enabled")()))
    raise(PyExc_TypeError, std::string(caller) +
                               ": the tensor requires a gradient; use foldline.torch, whose operators have "
                               "one, or give x.detach()");
  if (nb::cast<bool>(x.attr("is_neg")())) x = x.attr("resolve_neg")();
  GpuArray array;
  array.library = GpuLibrary::torch;
  array.type = element_type_of_torch(x.attr("dtype"), caller);
  array.shape = axis_values_of(x.attr("shape"));
  const std::int64_t width = size_of(array.type);
  array.strides = axis_values_of(x.attr("stride")());
  for (std::int64_t& stride : array.strides) stride *= width;
  array.size = size_of_shape(array.shape);
  array.data = reinterpret_cast<const std::byte*>(nb::cast<std::uintptr_t>(x.attr("data_ptr")()));
  array.device = nb::cast<int>(x.attr("get_device")());
  array.stream = torch_stream(array.device);
  array.giver = x;
  array.owner = std::move(x);
  return array;
}

ElementType element_type_of_dtype(nb::handle dtype, const char* caller) {
  const std::optional<ElementType> type = element_type_of(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
  if (!type) refuse_dtype(dtype, caller);
  return *type;
}

GpuArray from_cupy(nb::handle x, const char* caller) {
  GpuArray array;
  array.library = GpuLibrary::cupy;
  array.type = element_type_of_dtype(x.attr("dtype"), caller);
  array.shape = axis_values_of(x.attr("shape"));
  array.strides = axis_values_of(x.attr("strides"));
  array.size = size_of_shape(array.shape);
  const nb::object memory = x.attr("data");
  array.data = reinterpret_cast<const std::byte*>(nb::cast<std::uintptr_t>(memory.attr("ptr")));
  array.device = nb::cast<int>(memory.attr("device_id"));
  const nb::object stream = nb::module_::import_("cupy.cuda").attr("get_current_stream")(array.device);
  array.stream = stream_of(nb::cast<std::uintptr_t>(stream.attr("ptr")));
  array.owner = array.giver = nb::borrow(x);
  return array;
}

GpuArray from_dlpack(nb::handle x, const char* caller) {
  constexpr int stream = 1;  // the exporter lets it wait for the elements
  const nb::object give = x.attr("__dlpack__");
  nb::object capsule;
  try {
    capsule = give(nb::arg("stream") = stream, nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& error) {  // from before DLPack 1
    if (!error.matches(PyExc_TypeError)) throw;
    capsule = give(nb::arg("stream") = stream);
  }
  GpuArray array;
  static_cast<Array&>(array) = array_from_capsule(std::move(capsule), x, caller);
  array.library = GpuLibrary::dlpack;
  const nb::object device = x.attr("__dlpack_device__")();
  array.device = nb::cast<int>(take(PySequence_GetItem(device.ptr(), 1)));
  array.stream = default_stream();
  return array;
}

int device_of(const void* data, const char* caller) {
  cudaPointerAttributes attributes{};
  const cudaError_t error = cudaPointerGetAttributes(&attributes, data);
  if (error != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered) {
    cudaGetLastError();
    raise(PyExc_ValueError,
          std::string(caller) +
              ": __cuda_array_interface__ gives an address that is not in the memory of a GPU");
  }
  return attributes.device;
}

GpuArray from_cuda_array_interface(nb::handle x, const char* caller) {
  const nb::object interface = x.attr("__cuda_array_interface__");
  const auto entry = [&](const char* name) { return interface.attr("get")(name); };
  if (!entry("mask").is_none())
    raise(PyExc_TypeError, std::string(caller) + ": the array has a mask, which GPU arrays cannot have here");
  const nb::object dtype = nb::module_::import_("numpy").attr("dtype")(interface["typestr"]);
  GpuArray array;
  array.library = GpuLibrary::cuda_array_interface;
  array.type = element_type_of_dtype(dtype, caller);
  if (!nb::cast<bool>(dtype.attr("isnative")))
    raise(PyExc_TypeError, std::string(caller) + ": the elements are in the other byte order");
  array.shape = axis_values_of(interface["shape"]);
  array.size = size_of_shape(array.shape);
  if (entry("strides").is_none()) {
    array.strides = row_major_strides(array.shape);
    for (std::int64_t& stride : array.strides) stride *= size_of(array.type);
  } else {
    array.strides = axis_values_of(interface["strides"]);
  }
  array.data = reinterpret_cast<const std::byte*>(nb::cast<std::uintptr_t>(interface["data"][0]));
  array.device = array.size > 0 ? device_of(array.data, caller) : 0;
  const nb::object stream = entry("stream");
  array.stream = stream.is_none() ? default_stream() : stream_of(nb::cast<std::uintptr_t>(stream));
  array.owner = array.giver = nb::borrow(x);
  return array;
}

/// The type that has all numbers of both.
std::optional<ElementType> type_of_both(ElementType a, ElementType b) {
  if (is_floating(a) && is_floating(b))
    return a == ElementType::float64 || b == ElementType::float64 ? ElementType::float64
                                                                  : ElementType::float32;
  if (!is_floating(a) && !is_floating(b)) {
    if (a != ElementType::uint64 && b != ElementType::uint64) return ElementType::int64;
    return is_signed(a) || is_signed(b) ? std::nullopt : std::optional(ElementType::uint64);
  }
  const ElementType floating = is_floating(a) ? a : b;
  const std::int64_t width = size_of(is_floating(a) ? b : a);
  if (width == 8) return std::nullopt;
  return width <= 2 && floating != ElementType::float64 ? ElementType::float32 : ElementType::float64;
}

nb::object tuple_of(const std::vector<std::int64_t>& values) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value);
  return nb::tuple(list);
}

}  // namespace

nb::object torch_dtype_of(ElementType type) {
  return nb::borrow(torch_dtypes()[static_cast<std::size_t>(type)]);
}

GpuArray gpu_array_from(nb::handle x, const char* caller) {
  switch (gpu_library_of(x)) {
    case GpuLibrary::torch:
      return from_torch(x, caller);
    case GpuLibrary::cupy:
      return from_cupy(x, caller);
    case GpuLibrary::dlpack:
      return from_dlpack(x, caller);
    case GpuLibrary::cuda_array_interface:
      return from_cuda_array_interface(x, caller);
    case GpuLibrary::none:
      break;
  }
  raise(
      PyExc_ValueError,
      std::string(caller) + ": one array is in the memory of a GPU, another in the host's; move one of them");
}

void require_one_device(const GpuArray& x, const GpuArray& y, const char* caller) {
  if (x.library != y.library)
    raise(PyExc_TypeError,
          std::string(caller) + ": arrays of two libraries, whose streams may differ; make both of one");
  if (x.device != y.device)
    raise(PyExc_ValueError, std::string(caller) + ": arrays on GPU " + std::to_string(x.device) +
                                " and on GPU " + std::to_string(y.device) + "; move one of them");
}

GpuArray converted(const GpuArray& x, ElementType type, const char* caller) {
  const std::string name(name_of(type));
  nb::object result;
  if (x.library == GpuLibrary::torch)
    result = x.giver.attr("to")(torch_dtype_of(type));
  else if (x.library == GpuLibrary::cupy)
    result = x.giver.attr("astype")(nb::handle(reinterpret_cast<PyObject*>(dtype_of(type))));
  else if (nb::hasattr(x.giver, "__array_namespace__"))
    result = x.giver.attr("astype")(name);
  if (result.is_valid()) {
    GpuArray array = gpu_array_from(result, caller);
    if (array.type == type) return array;
  }
  raise(PyExc_TypeError, std::string(caller) + ": elements of type " + std::string(name_of(x.type)) +
                             " have to become " + name +
                             ", which their library does not do here; give both arrays that type");
}

void bring_together(GpuArray& x, GpuArray& y, const char* caller) {
  require_one_device(x, y, caller);
  if (x.type != y.type) {
    const std::optional<ElementType> type = type_of_both(x.type, y.type);
    if (!type)
      raise(PyExc_TypeError, std::string(caller) +
                                 ": on a GPU two arrays become one type, but none holds all of " +
                                 std::string(name_of(x.type)) + " and " + std::string(name_of(y.type)));
    for (GpuArray* const array : {&x, &y})
      if (array->type != *type) *array = converted(*array, *type, caller);
  }
  for (GpuArray* const array : {&x, &y})
    if (!array->is_viewable()) *array = copied(*array, all_axes(array->axes()), caller);
}

std::vector<std::int64_t> all_axes(std::int64_t count) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}

std::vector<std::int64_t> reduced_last(const std::vector<bool>& is_reduced) {
  std::vector<std::int64_t> order;
  for (const bool wanted : {false, true})
    for (std::size_t axis = 0; axis < is_reduced.size(); ++axis)
      if (is_reduced[axis] == wanted) order.push_back(static_cast<std::int64_t>(axis));
  return order;
}

GpuArray copied(const GpuArray& x, const std::vector<std::int64_t>& order, const char* caller) {
  const nb::object axes = tuple_of(order);
  if (x.library == GpuLibrary::torch)
    return gpu_array_from(x.giver.attr("permute")(axes).attr("contiguous")(), caller);
  if (x.library == GpuLibrary::cupy)
    return gpu_array_from(
        nb::module_::import_("cupy").attr("ascontiguousarray")(x.giver.attr("transpose")(axes)), caller);
  if (nb::hasattr(x.giver, "__array_namespace__"))
    return gpu_array_from(x.giver.attr("__array_namespace__")().attr("permute_dims")(x.giver, axes), caller);
  raise(PyExc_NotImplementedError,
        std::string(caller) + ": these axes do not lie in memory as one; copy the array so that they do");
}

GpuArray dense(const GpuArray& x, const char* caller) {
  if (x.size == 0) return x;
  const AxisValues strides = row_major_strides(x.shape);
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    if (x.shape[axis] > 1 && x.strides[axis] != strides[axis] * size_of(x.type))
      return copied(x, all_axes(x.axes()), caller);
  return x;
}

}  // namespace foldline::python
