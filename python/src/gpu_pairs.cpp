// Dot products and weighted means of arrays in the memory of a GPU: one call is queued for each.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu_array.hpp"
#include "gpu_streams.hpp"
#include "pairs.hpp"
#include "products.hpp"
#include "reduce_arguments.hpp"
#include "reduction_blocks.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

void queue_pairs(const Reduction& reduction, const async::Queue& queue) {
  const Axis along = reduction.reduced.empty() ? Axis{} : reduction.reduced.front();
  const std::int64_t width = size_of(reduction.x.type);
  const auto vector = [&](const Operand& operand, std::size_t which, const Offsets& at) {
    return VectorView(operand.data + at[which], operand.type, along.extent, along.strides[which] / width);
  };
  for (std::int64_t result = 0; result < positions(reduction.kept); ++result) {
    const Offsets at = offsets_of(reduction.kept, result);
    async::reduce(reduction.operation, vector(reduction.x, Axis::first, at),
                  vector(reduction.y, Axis::second, at),
                  MutableVectorView(reduction.out + at[Axis::out], reduction.out_type, 1), queue);
  }
}

nb::object run_on_gpu(const GpuArray& x, Reduction reduction, GpuOutput& output, const char* caller) {
  reduction.out = output.data();
  reduction.out_type = output.type();
  queue_work(x, possible_failure(reduction.operation, x.type, output.type(), x.size), caller,
             [&](const async::Queue& queue) { queue_pairs(reduction, queue); });
  return output.finish();
}

/// The reduction of weighted means, its axes merged.
Reduction weighted(const GpuArray& x, const GpuArray& weights, const AxisValues& weight_strides,
                   const std::vector<bool>& is_reduced, const AxisValues& out_strides) {
  Reduction reduction = reduction_of_pairs(Operation::weighted_mean, x, weights);
  add_axes(reduction, {x.shape, x.strides, weight_strides, is_reduced}, false, out_strides);
  if (x.size == 0)
    reduction.reduced = {{.extent = 0, .strides = {}}};
  else
    put_in_order(reduction);
  return reduction;
}

}  // namespace

nb::object vecdot_on_gpu(nb::handle given_x, nb::handle given_y, std::int64_t axis, nb::handle dtype,
                         const char* caller) {
  GpuArray x = gpu_array_from(given_x, caller), y = gpu_array_from(given_y, caller);
  const ElementType type = dtype.is_none() ? dot_type(x, y) : element_type_of_argument(dtype, caller);
  bring_together(x, y, caller);
  const PairAxes axes = axes_of_vecdot(x, y, axis);
  GpuOutput output(x, shape_of_results(axes.shape, axes.is_reduced, false), type, caller);
  if (output.size() == 0) return output.finish();
  Reduction reduction = reduction_of_pairs(Operation::dot, x, y);
  add_axes(reduction, axes, false, output.strides());
  return run_on_gpu(x, std::move(reduction), output, caller);
}

nb::object average_on_gpu(nb::handle given, nb::handle axis, nb::handle given_weights, bool keepdims,
                          const char* caller) {
  GpuArray x = gpu_array_from(given, caller), weights = gpu_array_from(given_weights, caller);
  const ElementType type = default_result_type(Operation::weighted_mean, promoted(x.type, weights.type));
  bring_together(x, weights, caller);
  const std::vector<bool> is_reduced = axes_of_argument(axis, x.axes());
  const AxisValues weight_strides = strides_of_weights(x, weights, is_reduced, axis);
  GpuOutput output(x, shape_of_results(x.shape, is_reduced, keepdims), type, caller);
  if (output.size() == 0) return output.finish();
  const AxisValues out_strides = output.kept_strides(is_reduced, keepdims);
  Reduction reduction = weighted(x, weights, weight_strides, is_reduced, out_strides);
  if (reduction.reduced.size() > 1) {  // so weights have the shape of x
    const std::vector<std::int64_t> order = reduced_last(is_reduced);
    x = copied(x, order, caller);
    weights = copied(weights, order, caller);
    std::vector<bool> is_last = is_reduced;
    std::sort(is_last.begin(), is_last.end());
    reduction = weighted(x, weights, weights.strides, is_last, out_strides);
    if (reduction.reduced.size() > 1)
      raise(PyExc_NotImplementedError, std::string(caller) + ": a copy of the array does not lie densely");
  }
  return run_on_gpu(x, std::move(reduction), output, caller);
}

nb::object multiply_on_gpu(nb::handle given_a, nb::handle given_b, const ProductCall& call) {
  GpuArray a = gpu_array_from(given_a, call.name), b = gpu_array_from(given_b, call.name);
  require_matrices(a, b, call);
  const ElementType type =
      call.dtype.is_none() ? dot_type(a, b) : element_type_of_argument(call.dtype, call.name);
  bring_together(a, b, call.name);
  const Product product = product_of(a, b, call.name);
  GpuOutput output(a, result_shape(product, a, b), type, call.name);
  if (output.size() == 0) return output.finish();
  if (!has_matrix_product(a, b, type))
    return run_on_gpu(a, entries(product, a, b, output.data(), type), output, call.name);
  {
    const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
    multiply_stacks(product, a, b, output.data(), type,
                    {.execution = {.device = Device::cuda(a.device), .stream = a.stream}});
  }
  return output.finish();
}

}  // namespace foldline::python
