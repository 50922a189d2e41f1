// What accumulators add of arrays in the memory of a GPU: they wait for it.
#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu_array.hpp"
#include "pairs.hpp"

namespace foldline::python {

namespace {

Reduction reduction_of_all(Operation operation, const GpuArray& x, const GpuArray* y) {
  Reduction reduction;
  reduction.operation = operation;
  reduction.x = {x.data, x.type, false};
  if (y != nullptr) reduction.y = {y->data, y->type, false};
  reduction.has_pairs = y != nullptr;
  reduction.context = {.execution = {.device = Device::cuda(x.device), .stream = x.stream}};
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis)
    reduction.reduced.push_back(
        axis_of_pairs(x.shape[axis], x.strides[axis], y == nullptr ? 0 : y->strides[axis]));
  if (x.size == 0)
    reduction.reduced = {{.extent = 0, .strides = {}}};
  else
    put_in_order(reduction);
  return reduction;
}

}  // namespace

GpuAddition addition_on_gpu(Operation operation, nb::handle given_x, nb::handle given_y, const char* caller) {
  GpuArray x = gpu_array_from(given_x, caller), y;
  const bool has_pairs = !given_y.is_none();
  ElementType type = x.type;
  if (has_pairs) {
    y = gpu_array_from(given_y, caller);
    type = promoted(x.type, y.type);
    bring_together(x, y, caller);
    if (!(x.shape == y.shape))
      raise(PyExc_ValueError,
            std::string(caller) + ": shapes " + text_of(x.shape) + " and " + text_of(y.shape) + " differ");
  }
  GpuAddition addition = {reduction_of_all(operation, x, has_pairs ? &y : nullptr), type, {}};
  if (addition.reduction.reduced.size() > 1 || !x.is_viewable()) {
    x = copied(x, all_axes(x.axes()), caller);
    if (has_pairs) y = copied(y, all_axes(y.axes()), caller);
    addition.reduction = reduction_of_all(operation, x, has_pairs ? &y : nullptr);
    if (addition.reduction.reduced.size() > 1)
      raise(PyExc_NotImplementedError, std::string(caller) + ": a copy of the array does not lie densely");
  }
  addition.owners = {x.owner, y.owner};
  return addition;
}

}  // namespace foldline::python
