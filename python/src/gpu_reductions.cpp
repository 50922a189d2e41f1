// Reductions of arrays in the memory of a GPU: queued in the caller's stream.
#include <algorithm>
#include <string>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/async.hpp"
#include "gpu_array.hpp"
#include "gpu_chosen.hpp"
#include "gpu_streams.hpp"
#include "reduce_arguments.hpp"
#include "reduction_blocks.hpp"

namespace foldline::python {

namespace {

Reduction reduction_of(const ReduceCall& call, const GpuArray& x, const std::vector<bool>& is_reduced,
                       const GpuOutput& output, const AxisValues& out_strides) {
  Reduction reduction;
  reduction.operation = call.operation;
  reduction.options = call.options;
  reduction.x = {x.data, x.type, false};
  reduction.out = output.data();
  reduction.out_type = output.type();
  const AxisValues no_mask = AxisValues::generate(x.shape.size(), [](std::size_t) { return 0; });
  add_axes(reduction, x.shape, x.strides, no_mask, is_reduced, false, out_strides);
  require_elements(call, reduction);
  if (x.size == 0)
    reduction.reduced = {{.extent = 0, .strides = {}}};
  else
    put_in_order(reduction);
  return reduction;
}

void queue_reduction(const Reduction& reduction, const async::Queue& queue) {
  const Axis along = reduction.reduced.empty() ? Axis{} : reduction.reduced.front();
  const std::int64_t width = size_of(reduction.x.type), out_width = size_of(reduction.out_type);
  if (reduction.kept.empty()) {
    const VectorView x(reduction.x.data, reduction.x.type, along.extent, along.strides[Axis::first] / width);
    async::reduce(reduction.operation, x, MutableVectorView(reduction.out, reduction.out_type, 1),
                  reduction.options, queue);
    return;
  }
  const std::vector<Axis>& kept = reduction.kept;
  const auto value = [&](std::size_t i, auto of_axis) { return of_axis(i < kept.size() ? kept[i] : along); };
  const auto extent = [&](std::size_t i) { return value(i, [](const Axis& axis) { return axis.extent; }); };
  const ArrayView x(reduction.x.data, reduction.x.type, AxisValues::generate(kept.size() + 1, extent),
                    AxisValues::generate(kept.size() + 1, [&](std::size_t i) {
                      return value(i, [&](const Axis& axis) { return axis.strides[Axis::first] / width; });
                    }));
  const MutableArrayView out(reduction.out, reduction.out_type, AxisValues::generate(kept.size(), extent),
                             AxisValues::generate(kept.size(), [&](std::size_t i) {
                               return kept[i].extent > 1 ? kept[i].strides[Axis::out] / out_width : 1;
                             }));
  async::reduce_axis(reduction.operation, x, -1, out, reduction.options, queue);
}

}  // namespace

void refuse_gpu(const char* caller) {
  raise(PyExc_TypeError,
        std::string(caller) +
            ": an array is in the memory of a GPU, which this function takes none from, or not "
            "together with one of the host's; copy it to the host, as x.cpu() does in PyTorch "
            "and x.get() in CuPy");
}

nb::object reduce_on_gpu(const ReduceCall& call) {
  const GpuArray x = gpu_array_from(call.x, call.name);
  const std::vector<bool> is_reduced = axes_of_argument(call.axis, x.axes());
  const GpuArray mask = call.where.ptr() == Py_True ? GpuArray{} : mask_of(call.where, x, call.name);
  GpuOutput output =
      GpuOutput::make(call.out, call.dtype, shape_of_results(x.shape, is_reduced, call.keepdims),
                      usual_type(call, x.type), x, call.name);
  check_result_type(call.name, call.operation, output.type());
  if (output.size() == 0) return output.finish();
  if (x.size > 0 && (mask.data != nullptr || (call.without_nan && is_floating(x.type)))) {
    reduce_chosen(call, x, mask, is_reduced, output);
    return output.finish();
  }

  const AxisValues out_strides = output.kept_strides(is_reduced, call.keepdims);
  Reduction reduction = reduction_of(call, x, is_reduced, output, out_strides);
  GpuArray copy;  // lives until the work is queued
  if (reduction.reduced.size() > 1 || !x.is_viewable()) {
    copy = copied(x, reduced_last(is_reduced), call.name);
    std::vector<bool> is_last = is_reduced;
    std::sort(is_last.begin(), is_last.end());
    reduction = reduction_of(call, copy, is_last, output, out_strides);
    if (reduction.reduced.size() > 1)
      raise(PyExc_NotImplementedError, std::string(call.name) + ": a copy of the array does not lie densely");
  }
  queue_work(x, possible_failure(call.operation, x.type, output.type(), x.size), call.name,
             [&](const async::Queue& queue) { queue_reduction(reduction, queue); });
  return output.finish();
}

}  // namespace foldline::python
