// NumPy's C interface; module.cpp imports it for all.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#define PY_ARRAY_UNIQUE_SYMBOL foldline_numpy_api
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#ifndef FOLDLINE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace foldline::python {

namespace nb = nanobind;

inline PyArrayObject* as_array(nb::handle x) { return reinterpret_cast<PyArrayObject*>(x.ptr()); }

/// What Python takes as true.
inline bool is_true(nb::handle x) {
  const int truth = PyObject_IsTrue(x.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

/// The object of a new reference; the Python error that is set if there is none.
inline nb::object take(PyObject* reference) {
  if (reference == nullptr) throw nb::python_error();
  return nb::steal(reference);
}
template <class T>
nb::object take(T* reference) {
  return take(reinterpret_cast<PyObject*>(reference));
}

}  // namespace foldline::python
