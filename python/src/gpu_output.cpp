// New arrays of a GPU for results.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <string>

#include "axes.hpp"
#include "dlpack_layout.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu_array.hpp"
#include "gpu_streams.hpp"
#include "output.hpp"

namespace foldline::python {

namespace {

nb::tuple tuple_of(const AxisValues& values) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value);
  return nb::tuple(list);
}

/// Memory of a device, which other libraries take over by DLPack or the CUDA Array Interface. Whoever sees
/// one sees its elements: calls that make one wait for their results.
struct GpuBuffer {
  GpuBuffer(int on, const AxisValues& extents, ElementType of, std::int64_t bytes)
      : device(on), shape(extents), strides(row_major_strides(extents)), type(of) {
    const CurrentDevice current(device);
    check_cuda(cudaMalloc(&data, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))),
               "allocating results");
  }
  GpuBuffer(const GpuBuffer&) = delete;
  GpuBuffer& operator=(const GpuBuffer&) = delete;
  ~GpuBuffer() { cudaFree(data); }

  int device;
  AxisValues shape, strides;  // in elements
  ElementType type;
  void* data = nullptr;
};

/// What a capsule that nobody took, or that was taken over, is given back with.
struct Exported {
  ManagedTensor managed;
  AxisValues shape, strides;
  nb::object buffer;
};

void give_back(ManagedTensor* managed) {
  const nb::gil_scoped_acquire locked;
  delete static_cast<Exported*>(managed->context);
}

void destroy_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // taken over
  give_back(static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor")));
}

nb::object capsule_of_buffer(nb::handle self, const nb::kwargs&) {
  const GpuBuffer& buffer = nb::cast<const GpuBuffer&>(self);
  auto exported = std::make_unique<Exported>();
  exported->shape = buffer.shape;
  exported->strides = buffer.strides;
  exported->buffer = nb::borrow(self);
  dlpack::dltensor& tensor = exported->managed.tensor;
  tensor.data = buffer.data;
  tensor.device = {.device_type = 2, .device_id = buffer.device};  // kDLCUDA
  tensor.ndim = static_cast<std::int32_t>(buffer.shape.size());
  tensor.dtype = dlpack_type_of(buffer.type);
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  tensor.byte_offset = 0;
  exported->managed.context = exported.get();
  exported->managed.deleter = give_back;
  const nb::object capsule = take(PyCapsule_New(&exported->managed, "dltensor", destroy_capsule));
  static_cast<void>(exported.release());
  return capsule;
}

nb::object interface_of(const GpuBuffer& buffer) {
  nb::dict interface;
  interface["shape"] = tuple_of(buffer.shape);
  interface["typestr"] = nb::handle(reinterpret_cast<PyObject*>(dtype_of(buffer.type))).attr("str");
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(buffer.data), false);
  interface["version"] = 3;
  return interface;
}

}  // namespace

GpuOutput::GpuOutput(const GpuArray& like, const AxisValues& shape, ElementType type, const char* caller)
    : library_(like.library),
      giver_(like.giver),
      type_(type),
      shape_(shape),
      strides_(row_major_strides(shape)),
      size_(1) {
  for (const std::int64_t extent : shape) size_ *= extent;
  for (std::int64_t& stride : strides_) stride *= size_of(type);
  if (library_ == GpuLibrary::torch) {
    const nb::object dtype = torch_dtype_of(type);
    if (dtype.is_none())
      raise(PyExc_TypeError, std::string(caller) + ": this PyTorch has no tensors of type " +
                                 std::string(name_of(type)) + "; ask for another dtype");
    array_ = type == like.type ? like.giver.attr("new_empty")(tuple_of(shape))
                               : like.giver.attr("new_empty")(tuple_of(shape), nb::arg("dtype") = dtype);
    data_ = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(array_.attr("data_ptr")()));
    return;
  }
  if (library_ == GpuLibrary::cupy) {
    const CurrentDevice current(like.device);
    const nb::handle dtype(reinterpret_cast<PyObject*>(dtype_of(type)));
    array_ = nb::module_::import_("cupy").attr("empty")(tuple_of(shape), dtype);
    data_ = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(array_.attr("data").attr("ptr")));
    return;
  }
  array_ =
      nb::cast(new GpuBuffer(like.device, shape, type, size_ * size_of(type)), nb::rv_policy::take_ownership);
  data_ = static_cast<std::byte*>(nb::cast<GpuBuffer&>(array_).data);
}

GpuOutput GpuOutput::make(nb::handle out, nb::handle dtype, const AxisValues& shape, ElementType usual,
                          const GpuArray& like, const char* caller) {
  ElementType type = dtype.is_none() ? usual : element_type_of_argument(dtype, caller);
  if (out.is_none()) return {like, shape, type, caller};
  if (!has_current_stream(like))
    raise(PyExc_TypeError,
          std::string(caller) + ": out= is for PyTorch's and CuPy's arrays; others cannot be written to");
  const GpuArray there = gpu_array_from(out, caller);
  require_one_device(like, there, caller);
  if (!(there.shape == shape))
    raise(PyExc_ValueError, std::string(caller) + ": out= has the shape " + text_of(there.shape) +
                                ", the results have " + text_of(shape));
  require_castable(type, there.type, caller);
  if (dtype.is_none()) type = there.type;
  GpuOutput output(like, shape, type, caller);
  output.out_ = nb::borrow(out);
  return output;
}

AxisValues GpuOutput::kept_strides(const std::vector<bool>& is_reduced, bool keepdims) const {
  std::vector<std::int64_t> kept;
  for (std::size_t axis = 0, out_axis = 0; axis < is_reduced.size(); ++axis) {
    if (!is_reduced[axis]) kept.push_back(strides_[out_axis]);
    if (!is_reduced[axis] || keepdims) ++out_axis;
  }
  return kept;
}

nb::object GpuOutput::finish() {
  if (out_.is_valid()) {
    if (library_ == GpuLibrary::torch)
      out_.attr("copy_")(array_);  // which knows of views and of versions for gradients
    else
      out_.attr("__setitem__")(nb::ellipsis(), array_);
    return out_;
  }
  const bool is_buffer = library_ == GpuLibrary::dlpack || library_ == GpuLibrary::cuda_array_interface;
  if (is_buffer && nb::hasattr(giver_, "__array_namespace__"))
    return giver_.attr("__array_namespace__")().attr("from_dlpack")(array_);
  return array_;
}

bool register_gpu_results(nb::module_& module) {
  nb::class_<GpuBuffer>(
      module, "GpuBuffer",
      "Results in the memory of a GPU, for libraries that take them by DLPack or the CUDA Array Interface.")
      .def_prop_ro(
          "shape", [](const GpuBuffer& buffer) { return tuple_of(buffer.shape); }, "Lengths of the axes.")
      .def_prop_ro("__cuda_array_interface__", interface_of)
      .def("__dlpack_device__", [](const GpuBuffer& buffer) { return nb::make_tuple(2, buffer.device); })
      .def("__dlpack__", capsule_of_buffer);
  return true;
}

}  // namespace foldline::python
