// Exceptions of Python's and NumPy's kinds.
#pragma once

#include <cstdint>
#include <string>

#include "numpy_api.hpp"

namespace foldline::python {

/// Throws an exception of the Python type `kind`.
[[noreturn]] void raise(PyObject* kind, const std::string& message);

/// Throws NumPy's AxisError.
[[noreturn]] void raise_axis_error(std::int64_t axis, std::int64_t axes);

/// What foldline throws becomes ValueError, OverflowError or RuntimeError.
void register_errors();

}  // namespace foldline::python
