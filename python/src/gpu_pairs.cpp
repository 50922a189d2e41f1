// Dot products of arrays in the memory of a GPU: one call is queued for each.
#include <string>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu_array.hpp"
#include "gpu_streams.hpp"
#include "pairs.hpp"
#include "reduce_arguments.hpp"
#include "reduction_blocks.hpp"

namespace foldline::python {

namespace {

void queue_pairs(const Reduction& reduction, const async::Queue& queue) {
  const Axis& along = reduction.reduced.front();
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

}  // namespace

nb::object vecdot_on_gpu(nb::handle given_x, nb::handle given_y, std::int64_t axis, nb::handle dtype,
                         const char* caller) {
  const GpuArray x = gpu_array_from(given_x, caller), y = gpu_array_from(given_y, caller);
  require_together(x, y, caller);
  const PairAxes axes = axes_of_vecdot(x, y, axis);
  const ElementType type = dtype.is_none() ? dot_type(x, y) : element_type_of_argument(dtype, caller);
  if (is_floating(x.type) && !is_floating(type))
    raise(PyExc_NotImplementedError,
          std::string(caller) + ": on a GPU products of floating-point elements have no integer dtype");
  GpuOutput output(x, shape_of_results(axes.shape, axes.is_reduced, false), type, caller);
  if (output.size() == 0) return output.finish();
  Reduction reduction = reduction_of_pairs(Operation::dot, x, y);
  reduction.out = output.data();
  reduction.out_type = type;
  add_axes(reduction, axes, false, output.strides());
  queue_work(x, may_overflow(Operation::dot, x.type, type, x.size), caller,
             [&](const async::Queue& queue) { queue_pairs(reduction, queue); });
  return output.finish();
}

nb::object dot_on_gpu(nb::handle given_x, nb::handle given_y, const char* caller) {
  const GpuArray x = gpu_array_from(given_x, caller), y = gpu_array_from(given_y, caller);
  if (x.axes() != 1 || y.axes() != 1)
    raise(PyExc_NotImplementedError,
          std::string(caller) +
              ": of arrays in the memory of a GPU, vectors only; foldline.vecdot takes more axes, "
              "and foldline.matmul arrays of the host");
  return vecdot_on_gpu(given_x, given_y, -1, nb::none(), caller);
}

}  // namespace foldline::python
