#include "gpu.hpp"

#include "dlpack_layout.hpp"

namespace foldline::python {

namespace {

bool is_of_python_or_numpy(PyObject* x) {
  return PyArray_Check(x) || PyLong_Check(x) || PyFloat_Check(x) || PyList_Check(x) || PyTuple_Check(x) ||
         x == Py_None || PyArray_IsScalar(x, Generic);
}

bool is_dlpack_of_gpu(nb::handle x) {
  const long kind = dlpack_kind_of(x);
  return kind == dlpack_cuda || kind == dlpack_managed;
}

}  // namespace

bool is_instance(nb::handle x, const char* module_name, const char* type_name) {
  PyObject* const module = PyDict_GetItemString(PyImport_GetModuleDict(), module_name);
  if (module == nullptr || module == Py_None) return false;
  const nb::object type = nb::getattr(nb::handle(module), type_name, nb::none());
  return PyType_Check(type.ptr()) != 0 &&
         PyType_IsSubtype(Py_TYPE(x.ptr()), reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

bool is_torch_tensor(nb::handle x) { return is_instance(x, "torch", "Tensor"); }

GpuLibrary gpu_library_of(nb::handle x) {
  if (is_of_python_or_numpy(x.ptr())) return GpuLibrary::none;
  if (is_torch_tensor(x)) return nb::cast<bool>(x.attr("is_cuda")) ? GpuLibrary::torch : GpuLibrary::none;
  if (is_instance(x, "cupy", "ndarray")) return GpuLibrary::cupy;
  if (is_instance(x, "pyarrow", "Array")) return GpuLibrary::none;  // some have DLPack's names and no DLPack
  if (nb::hasattr(x, "__dlpack_device__")) return is_dlpack_of_gpu(x) ? GpuLibrary::dlpack : GpuLibrary::none;
  return nb::hasattr(x, "__cuda_array_interface__") ? GpuLibrary::cuda_array_interface : GpuLibrary::none;
}

void register_gpu(nb::module_& module) {
  const bool has_cuda = register_gpu_results(module);
  module.def(
      "has_cuda", [has_cuda] { return has_cuda; }, nb::sig("def has_cuda() -> bool"),
      "Whether this build computes on GPUs: it was installed with "
      "``pip install . --config-settings=cmake.define.FOLDLINE_CUDA=ON``.");
}

}  // namespace foldline::python
