// trapezoid and simpson of samples; integrate of a function.
#include "integrals.hpp"

#include <nanobind/stl/tuple.h>

#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "array.hpp"
#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/quadrature.hpp"
#include "gather.hpp"
#include "gpu.hpp"
#include "output.hpp"
#include "pickling.hpp"
#include "reduction_blocks.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

/// Vectors of an array along an axis; those that no view describes are copied, one at a time.
class Vectors {
 public:
  Vectors(const Array& array, std::int64_t stride, std::int64_t size)
      : array_(array), stride_(stride), size_(size), is_viewable_(array.is_viewable()) {}
  VectorView at(std::int64_t offset) {
    const std::byte* const first = array_.data + offset;
    if (is_viewable_) return {first, array_.type, size_, stride_ / size_of(array_.type)};
    copy_.resize(static_cast<std::size_t>(size_ * size_of(array_.type)));
    gather({first, array_.type, array_.is_swapped, stride_}, size_, copy_.data());
    return {copy_.data(), array_.type, size_};
  }

 private:
  const Array& array_;
  std::int64_t stride_, size_;
  bool is_viewable_;
  std::vector<std::byte> copy_;
};

/// The rule of samples, by distances or by places.
struct SampleRule {
  double (*by_distance)(const VectorView&, double, const Context&);
  double (*by_places)(const VectorView&, const VectorView&, const Context&);
};

/// Where samples are: along the axis, or for each one.
AxisValues strides_of_places(const Array& y, const Array& x, std::size_t axis, const char* caller) {
  if (x.axes() == 0)
    raise(PyExc_ValueError, std::string(caller) + ": x is one number; give a place for each sample, or dx");
  if (x.axes() != 1) return broadcast_strides(x.shape, x.strides, y.shape, caller);
  if (x.size != y.shape[axis])
    raise(PyExc_ValueError, std::string(caller) + ": " + std::to_string(x.size) + " places for " +
                                std::to_string(y.shape[axis]) + " samples along the axis");
  return AxisValues::generate(y.shape.size(), [&](std::size_t i) { return i == axis ? x.strides[0] : 0; });
}

/// Samples, and their places if these are given: where they lie or, from the memory of a GPU, copied.
std::vector<Array> samples_from(nb::handle y, nb::handle x, const char* caller) {
  std::vector<nb::handle> given = {y};
  if (!x.is_none()) given.push_back(x);
  if (is_on_gpu(y) || is_on_gpu(x)) return copied_to_host(given, caller);
  std::vector<Array> arrays;
  for (const nb::handle array : given) arrays.push_back(array_from(array, caller));
  return arrays;
}

nb::object integrate_samples(const SampleRule& rule, nb::handle given_y, nb::handle given_x, double dx,
                             nb::handle axis_argument, const char* caller) {
  const std::vector<Array> arrays = samples_from(given_y, given_x, caller);
  const Array& y = arrays.front();
  const auto axis = static_cast<std::size_t>(axis_from(axis_argument, y.axes()));
  AxisValues places = AxisValues::generate(y.shape.size(), [](std::size_t) { return 0; });
  if (!given_x.is_none()) places = strides_of_places(y, arrays.back(), axis, caller);
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < y.shape.size(); ++i)
    if (i != axis) shape.push_back(y.shape[i]);
  Output output(shape, ElementType::float64, y.giver);
  std::vector<Axis> kept;
  for (std::size_t i = 0; i < y.shape.size(); ++i)
    if (i != axis)
      kept.push_back(
          {.extent = y.shape[i], .strides = {y.strides[i], places[i], 0, output.stride(kept.size())}});
  {
    const WithoutLock unlocked(y.size);
    const Context context = current_context();
    Vectors samples(y, y.strides[axis], y.shape[axis]), at(arrays.back(), places[axis], y.shape[axis]);
    for (std::int64_t i = 0; i < positions(kept); ++i) {
      const Offsets offsets = offsets_of(kept, i);
      const VectorView values = samples.at(offsets[Axis::first]);
      const double result = given_x.is_none() ? rule.by_distance(values, dx, context)
                                              : rule.by_places(values, at.at(offsets[Axis::second]), context);
      std::memcpy(output.data() + offsets[Axis::out], &result, sizeof result);
    }
  }
  return is_on_gpu(given_y) ? copied_to_gpu(output.array(), given_y, caller) : output.finish(caller);
}

/// Refuses what NumPy would cast by dropping imaginary parts, reading text or making NaN of None.
void require_real(PyArray_Descr* dtype) {
  if (element_type_of(dtype) || dtype->type_num == NPY_LONGDOUBLE) return;
  raise(PyExc_TypeError, "foldline.integrate: f gave values of type " +
                             nb::cast<std::string>(nb::str(nb::handle(reinterpret_cast<PyObject*>(dtype)))) +
                             "; they have to be real numbers");
}

/// A Python function, called with an array of places.
class PythonIntegrand {
 public:
  explicit PythonIntegrand(nb::handle function) : function_(nb::borrow(function)) {}
  void operator()(std::span<const double> x, std::span<double> y) const {
    npy_intp size = static_cast<npy_intp>(x.size());
    const nb::object places = take(PyArray_SimpleNew(1, &size, NPY_DOUBLE));
    std::memcpy(PyArray_DATA(as_array(places)), x.data(), x.size_bytes());
    const nb::object given = take(
        until_exit([&] { return PyObject_CallFunctionObjArgs(function_.ptr(), places.ptr(), nullptr); }));
    refuse_masked(given,
                  "foldline.integrate: f gave a masked array; give values, or NaN where there are none");
    const nb::object values = take(PyArray_FromAny(given.ptr(), nullptr, 0, 0, 0, nullptr));
    require_real(PyArray_DESCR(as_array(values)));
    const nb::object results = take(PyArray_SimpleNewFromData(1, &size, NPY_DOUBLE, y.data()));
    if (PyArray_CopyInto(as_array(results), as_array(values)) != 0) throw nb::python_error();
  }

 private:
  nb::object function_;
};

IntegrationMethod method_of(const std::string& name) {
  if (name == "gauss_kronrod") return IntegrationMethod::gauss_kronrod;
  if (name == "tanh_sinh") return IntegrationMethod::tanh_sinh;
  raise(PyExc_ValueError,
        "foldline.integrate: there is no method '" + name + "'; there are gauss_kronrod and tanh_sinh");
}

const char* text_of_status(IntegrationStatus status) {
  switch (status) {
    case IntegrationStatus::converged:
      return "converged";
    case IntegrationStatus::max_evaluations:
      return "max_evaluations";
    case IntegrationStatus::round_off:
      return "round_off";
    case IntegrationStatus::may_diverge:
      return "may_diverge";
    case IntegrationStatus::not_finite:
      break;
  }
  return "not_finite";
}

IntegralEstimate integrate_function(nb::handle function, double a, double b, double atol, double rtol,
                                    const std::string& method, std::int64_t max_evaluations) {
  if (PyCallable_Check(function.ptr()) == 0)
    raise(PyExc_TypeError, "foldline.integrate: f has to be a function");
  return integrate_to(PythonIntegrand(function), a, b, Tolerance(atol, rtol),
                      {method_of(method), max_evaluations});
}

using StateOfEstimate = std::tuple<double, double, std::int64_t, std::int64_t, bool, std::uint8_t, double>;

StateOfEstimate state_of(const IntegralEstimate& self) {
  return {self.value,      self.error,     self.evaluations,
          self.non_finite, self.converged, static_cast<std::uint8_t>(self.status),
          self.where};
}

void restore_estimate(IntegralEstimate& self, const StateOfEstimate& state) {
  const auto& [value, error, evaluations, non_finite, converged, status, where] = state;
  new (&self) IntegralEstimate{
      value, error, evaluations, non_finite, converged, static_cast<IntegrationStatus>(status), where};
}

void register_estimate(nb::module_& module) {
  nb::class_<IntegralEstimate>(module, "IntegralEstimate",
                               "What `integrate` gives; float() of it is the value.")
      .def_ro("value", &IntegralEstimate::value, "The best value found.")
      .def_ro("error", &IntegralEstimate::error, "An estimate of its error, mostly far too large.")
      .def_ro("evaluations", &IntegralEstimate::evaluations, "The number of places where f was asked for.")
      .def_ro("non_finite", &IntegralEstimate::non_finite, "How many of them gave NaN or an infinity.")
      .def_ro("converged", &IntegralEstimate::converged, "Whether the error is within the tolerance.")
      .def_prop_ro(
          "status", [](const IntegralEstimate& self) { return std::string(text_of_status(self.status)); },
          "\"converged\", or why not: \"max_evaluations\", \"round_off\", \"may_diverge\", \"not_finite\".")
      .def_ro("where", &IntegralEstimate::where, "About where most of the error is; NaN if it converged.")
      .def("__float__", [](const IntegralEstimate& self) { return self.value; })
      .def("__reduce__", reduce_with_state)
      .def("__getstate__", [](const IntegralEstimate& self) { return state_of(self); })
      .def("__setstate__", restore_estimate)
      .def("__repr__", [](const IntegralEstimate& self) {
        return "IntegralEstimate(value=" + nb::cast<std::string>(nb::repr(nb::float_(self.value))) +
               ", error=" + nb::cast<std::string>(nb::repr(nb::float_(self.error))) + ", status='" +
               text_of_status(self.status) + "')";
      });
}

}  // namespace

void register_integrals(nb::module_& module) {
  module.def(
      "trapezoid",
      [](nb::handle y, nb::handle x, double dx, nb::handle axis) {
        return integrate_samples({&foldline::trapezoid, &foldline::trapezoid}, y, x, dx, axis,
                                 "foldline.trapezoid");
      },
      nb::arg("y"), nb::arg("x") = nb::none(), nb::arg("dx") = 1.0, nb::arg("axis") = -1,
      nb::sig("def trapezoid(y, x=None, dx=1.0, axis=-1)"),
      R"(The integral of samples by trapezoids, exact and rounded once: float64.

Samples are `dx` apart, or at places `x`: a vector, or as many as samples.

Examples
--------
>>> import foldline as fl
>>> fl.trapezoid([1, 2, 3], dx=0.5)
np.float64(2.0)
>>> fl.trapezoid([1, 2, 3], x=[0, 1, 3])
np.float64(6.5)
)");
  module.def(
      "simpson",
      [](nb::handle y, nb::handle x, double dx, nb::handle axis) {
        return integrate_samples({&foldline::simpson, &foldline::simpson}, y, x, dx, axis,
                                 "foldline.simpson");
      },
      nb::arg("y"), nb::arg("x") = nb::none(), nb::arg("dx") = 1.0, nb::arg("axis") = -1,
      nb::sig("def simpson(y, x=None, dx=1.0, axis=-1)"),
      R"(The integral of samples by parabolas; arguments are those of `trapezoid`.

Examples
--------
>>> import foldline as fl
>>> fl.simpson([0, 1, 4, 9, 16])
np.float64(21.333333333333332)
)");
  register_estimate(module);
  module.def("integrate", integrate_function, nb::arg(), nb::arg(), nb::arg(), nb::kw_only(),
             nb::arg("atol") = 1e-10, nb::arg("rtol") = 1e-10, nb::arg("method") = "gauss_kronrod",
             nb::arg("max_evaluations") = 200'000,
             nb::sig("def integrate(f, a, b, /, *, atol=1e-10, rtol=1e-10, method='gauss_kronrod', "
                     "max_evaluations=200000)"),
             R"(The integral of a function from a to b, either of which may be infinite, to a tolerance.

`f` is called with arrays of places and gives an array of values; never at a or b. What cannot be reached is
no exception: `converged` and `status` of the result tell.

Examples
--------
>>> import foldline as fl, numpy as np
>>> fl.integrate(lambda x: np.exp(-x * x), -np.inf, np.inf).value
1.772453850905516
>>> fl.integrate(lambda x: x**-1.5, 1, np.inf).converged
True
)");
}

}  // namespace foldline::python
