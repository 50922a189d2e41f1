// vecdot and average.
#include "pairs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu.hpp"
#include "output.hpp"
#include "reduce_arguments.hpp"
#include "threads.hpp"

namespace foldline::python {

ElementType dot_type(const Array& x, const Array& y) {
  return default_result_type(Operation::dot, promoted(x.type, y.type));
}

Reduction reduction_of_pairs(Operation operation, const Array& x, const Array& y) {
  Reduction reduction;
  reduction.operation = operation;
  reduction.x = {x.data, x.type, x.is_swapped};
  reduction.y = {y.data, y.type, y.is_swapped};
  reduction.has_pairs = true;
  reduction.context = current_context();
  return reduction;
}

Axis axis_of_pairs(std::int64_t extent, std::int64_t x_stride, std::int64_t y_stride,
                   std::int64_t out_stride) {
  if (extent <= 1) return {.extent = extent, .strides = {}};
  return {.extent = extent, .strides = {x_stride, y_stride, 0, out_stride}};
}

PairAxes axes_of_vecdot(const Array& x, const Array& y, std::int64_t axis) {
  constexpr const char* caller = "foldline.vecdot";
  if (x.axes() == 0 || y.axes() == 0)
    raise(PyExc_ValueError, "foldline.vecdot: numbers have no axis; both need one at least");
  const std::int64_t fewest = std::min(x.axes(), y.axes());
  if (axis < -fewest || axis >= fewest) raise_axis_error(axis, fewest);
  if (axis >= 0 && x.axes() != y.axes())
    raise(PyExc_ValueError,
          "foldline.vecdot: for arrays of different numbers of axes count axis= from the last, -1");
  // All axes but this one are broadcast.
  const std::int64_t x_length = x.shape[static_cast<std::size_t>(checked_axis(axis, x.axes()))];
  const std::int64_t y_length = y.shape[static_cast<std::size_t>(checked_axis(axis, y.axes()))];
  if (x_length != y_length)
    raise(PyExc_ValueError, "foldline.vecdot: vectors of " + std::to_string(x_length) + " and of " +
                                std::to_string(y_length) + " elements");
  const AxisValues shape = broadcast_shapes(x.shape, y.shape, caller);
  std::vector<bool> is_reduced(shape.size(), false);
  is_reduced[static_cast<std::size_t>(checked_axis(axis, static_cast<std::int64_t>(shape.size())))] = true;
  return {shape, broadcast_strides(x.shape, x.strides, shape, caller),
          broadcast_strides(y.shape, y.strides, shape, caller), is_reduced};
}

void add_axes(Reduction& reduction, const PairAxes& axes, bool keepdims, const AxisValues& out_strides) {
  std::size_t out_axis = 0;
  for (std::size_t axis = 0; axis < axes.shape.size(); ++axis) {
    const std::int64_t x_stride = axes.x_strides[axis], y_stride = axes.y_strides[axis];
    if (axes.is_reduced[axis])
      reduction.reduced.push_back(axis_of_pairs(axes.shape[axis], x_stride, y_stride));
    else
      reduction.kept.push_back(axis_of_pairs(axes.shape[axis], x_stride, y_stride, out_strides[out_axis]));
    if (!axes.is_reduced[axis] || keepdims) ++out_axis;
  }
}

AxisValues strides_of_weights(const Array& x, const Array& weights, const std::vector<bool>& is_reduced,
                              nb::handle axis) {
  if (weights.shape == x.shape) return weights.strides;
  if (weights.axes() != 1 || axis.is_none() || PyTuple_Check(axis.ptr()) != 0)
    raise(PyExc_TypeError, "foldline.average: weights of shape " + text_of(weights.shape) +
                               " for an array of shape " + text_of(x.shape) +
                               "; give them x's shape, or one for each element along an axis");
  return AxisValues::generate(x.shape.size(), [&](std::size_t i) -> std::int64_t {
    if (!is_reduced[i]) return 0;
    if (weights.size != x.shape[i])
      raise(PyExc_ValueError, "foldline.average: " + std::to_string(weights.size) + " weights for " +
                                  std::to_string(x.shape[i]) + " elements along the axis");
    return weights.strides[0];
  });
}

namespace {

nb::object run_to(Output& output, Reduction reduction, std::int64_t size, const char* caller) {
  reduction.out = output.data();
  reduction.out_type = output.type();
  {
    const WithoutLock unlocked(size);
    run(std::move(reduction));
  }
  return output.finish(caller);
}

nb::object vecdot(nb::handle given_x, nb::handle given_y, std::int64_t axis, nb::handle dtype) {
  constexpr const char* caller = "foldline.vecdot";
  if (is_on_gpu(given_x) || is_on_gpu(given_y)) return vecdot_on_gpu(given_x, given_y, axis, dtype, caller);
  const Array x = array_from(given_x, caller), y = array_from(given_y, caller);
  const PairAxes axes = axes_of_vecdot(x, y, axis);
  Output output = Output::make(nb::none(), dtype, shape_of_results(axes.shape, axes.is_reduced, false),
                               dot_type(x, y), x, caller);
  Reduction reduction = reduction_of_pairs(Operation::dot, x, y);
  add_axes(reduction, axes, false, output.strides());
  return run_to(output, std::move(reduction), std::max(x.size, y.size), caller);
}

nb::object average(nb::handle given, nb::handle axis, nb::handle given_weights, nb::handle given_keepdims) {
  constexpr const char* caller = "foldline.average";
  const bool keepdims = is_true(given_keepdims);
  if (given_weights.is_none())
    return reduce_array({.name = caller,
                         .operation = Operation::mean,
                         .x = given,
                         .axis = axis,
                         .dtype = nb::none(),
                         .out = nb::none(),
                         .where = Py_True,
                         .keepdims = keepdims});
  if (is_on_gpu(given) || is_on_gpu(given_weights))
    return average_on_gpu(given, axis, given_weights, keepdims, caller);
  const Array x = array_from(given, caller), weights = array_from(given_weights, caller);
  const std::vector<bool> is_reduced = axes_of_argument(axis, x.axes());
  const AxisValues weight_strides = strides_of_weights(x, weights, is_reduced, axis);
  const ElementType type = default_result_type(Operation::weighted_mean, promoted(x.type, weights.type));
  Output output(shape_of_results(x.shape, is_reduced, keepdims), type, x.giver);
  Reduction reduction = reduction_of_pairs(Operation::weighted_mean, x, weights);
  add_axes(reduction, {x.shape, x.strides, weight_strides, is_reduced}, keepdims, output.strides());
  return run_to(output, std::move(reduction), x.size, caller);
}

}  // namespace

void register_pairs(nb::module_& module) {
  module.def(
      "vecdot", vecdot, nb::arg().none(), nb::arg().none(), nb::kw_only(), nb::arg("axis") = -1,
      nb::arg("dtype") = nb::none(), nb::sig("def vecdot(x1, x2, /, *, axis=-1, dtype=None)"),
      R"(Dot products of vectors along an axis: products are exact, and their exact sum is rounded once.

Other axes are broadcast. The types of the two arrays may differ. Of integers the result is 64 bits wide, as a
sum's, where NumPy keeps their type.

Examples
--------
>>> import foldline as fl
>>> fl.vecdot([1e200, 1.0, -1e200], [1e200, 1.0, 1e200])
np.float64(1.0)
>>> fl.vecdot([[1, 2], [3, 4]], [1, 10])
array([21, 43])
)");
  module.def(
      "average", average, nb::arg().none(), nb::arg("axis") = nb::none(), nb::arg("weights") = nb::none(),
      nb::kw_only(), nb::arg("keepdims") = false,
      nb::sig("def average(x, /, axis=None, weights=None, *, keepdims=False)"),
      R"(The weighted mean: the exact sum of x times weights, divided by the exact sum of weights, rounded once.

Weights have x's shape, or are a vector along `axis`. NaN, where NumPy has an error, if they add up to zero.

Examples
--------
>>> import foldline as fl
>>> fl.average([1, 2, 4], weights=[1, 1, 2])
np.float64(2.75)
)");
}

}  // namespace foldline::python
