#include "errors.hpp"

#include <exception>

#include "foldline/error.hpp"

namespace foldline::python {

void set_error(PyObject* kind, std::string_view message) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace");
  if (text == nullptr) return;  // an error is set
  PyErr_SetObject(kind, text);
  Py_DECREF(text);
}

void raise(PyObject* kind, const std::string& message) {
  set_error(kind, message);
  throw nb::python_error();
}

void raise_axis_error(std::int64_t axis, std::int64_t axes) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object home =
      nb::hasattr(numpy, "exceptions") ? nb::object(numpy.attr("exceptions")) : nb::object(numpy);
  const nb::object kind = home.attr("AxisError");
  PyErr_SetObject(kind.ptr(), kind(axis, axes).ptr());
  throw nb::python_error();
}

void raise_axis_is_missing(const char* caller, std::int64_t axes) {
  raise(PyExc_ValueError,
        std::string(caller) + ": axis= has to be given for an array of " + std::to_string(axes) + " axes");
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) {
    try {
      std::rethrow_exception(exception);
    } catch (const OverflowError& error) {
      const std::string problem(error.problem());
      set_error(PyExc_OverflowError, problem + "; ask for dtype=\"float64\"");
    } catch (const DeviceError& error) {
      set_error(PyExc_RuntimeError, error.what());
    } catch (const Error& error) {
      set_error(PyExc_ValueError, error.what());
    }
  });
}

}  // namespace foldline::python
