// Exceptions of Python's and NumPy's kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "numpy_api.hpp"

namespace foldline::python {

/// Sets an error of the Python type `kind`. Bytes of names of files and texts that are no UTF-8 are written
/// as
/// \x and two digits.
void set_error(PyObject* kind, std::string_view message);

/// Throws an exception of the Python type `kind`.
[[noreturn]] void raise(PyObject* kind, const std::string& message);

/// Throws NumPy's AxisError.
[[noreturn]] void raise_axis_error(std::int64_t axis, std::int64_t axes);

/// Throws the ValueError of prefix sums of an array whose axis is not named.
[[noreturn]] void raise_axis_is_missing(const char* caller, std::int64_t axes);

/// What foldline throws becomes ValueError, OverflowError or RuntimeError.
void register_errors();

}  // namespace foldline::python
