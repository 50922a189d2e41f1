#include "errors.hpp"

#include <exception>

#include "foldline/error.hpp"

namespace foldline::python {

void raise(PyObject* kind, const std::string& message) {
  PyErr_SetString(kind, message.c_str());
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

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& exception, void*) {
    try {
      std::rethrow_exception(exception);
    } catch (const OverflowError& error) {
      const std::string problem(error.problem());
      PyErr_SetString(PyExc_OverflowError, (problem + "; ask for dtype=\"float64\"").c_str());
    } catch (const DeviceError& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
}

}  // namespace foldline::python
