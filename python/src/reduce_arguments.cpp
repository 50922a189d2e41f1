#include "reduce_arguments.hpp"

#include <string>

#include "element_types.hpp"
#include "errors.hpp"

namespace foldline::python {

namespace {

bool is_extremum(Operation operation) {
  return operation == Operation::minimum || operation == Operation::maximum;
}

}  // namespace

ElementType usual_type(const ReduceCall& call, ElementType elements) {
  if (call.is_norm && !is_floating(elements)) return ElementType::float64;
  return default_result_type(call.operation, elements);
}

void check_result_type(const char* caller, Operation operation, ElementType type) {
  if (is_floating(type) || !is_floating(default_result_type(operation, ElementType::int64))) return;
  raise(PyExc_TypeError, std::string(caller) + ": a result of type " + std::string(name_of(type)) +
                             " would not be exact; ask for a floating-point one");
}

void require_elements(const ReduceCall& call, const Reduction& reduction) {
  if (!is_extremum(call.operation) || !call.initial.is_none()) return;
  for (const Axis& axis : reduction.reduced)
    if (axis.extent == 0)
      raise(PyExc_ValueError,
            std::string(call.name) + ": there is no smallest and no largest of no elements");
}

Array initial_of(const ReduceCall& call, ElementType elements) {
  if (call.initial.is_none()) return {};
  const Array given = array_from(call.initial, call.name);
  if (given.size != 1) raise(PyExc_ValueError, std::string(call.name) + ": initial has to be one number");
  const bool is_of_integers = is_extremum(call.operation) && !is_floating(elements);
  if (is_of_integers && is_floating(given.type))
    raise(PyExc_TypeError, std::string(call.name) + ": initial is " + std::string(name_of(given.type)) +
                               ", elements are " + std::string(name_of(elements)));
  if (!is_of_integers && !given.is_swapped) return given;
  const nb::object number = nb::module_::import_("numpy").attr("asarray")(call.initial);
  const nb::object converted = number.attr("astype")(
      nb::borrow(reinterpret_cast<PyObject*>(dtype_of(is_of_integers ? elements : given.type))));
  if (is_of_integers && !number.equal(converted))
    raise(PyExc_OverflowError,
          std::string(call.name) + ": " + std::string(name_of(elements)) + " cannot hold initial");
  return array_from(converted, call.name);
}

AxisValues shape_of_results(const AxisValues& shape, const std::vector<bool>& is_reduced, bool keepdims) {
  std::vector<std::int64_t> results;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!is_reduced[axis])
      results.push_back(shape[axis]);
    else if (keepdims)
      results.push_back(1);
  }
  return results;
}

void add_axes(Reduction& reduction, const AxisValues& shape, const AxisValues& strides,
              const AxisValues& mask_strides, const std::vector<bool>& is_reduced, bool keepdims,
              const AxisValues& out_strides) {
  std::size_t out_axis = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    Axis shared{.extent = shape[axis], .strides = {}};
    if (shared.extent > 1) shared.strides = {strides[axis], 0, mask_strides[axis], 0};
    if (is_reduced[axis]) {
      reduction.reduced.push_back(shared);
      if (keepdims) ++out_axis;
    } else {
      if (shared.extent > 1) shared.strides[Axis::out] = out_strides[out_axis];
      reduction.kept.push_back(shared);
      ++out_axis;
    }
  }
}

}  // namespace foldline::python
