// Prefix sums of arrays in the memory of a GPU.
#include <string>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu_array.hpp"
#include "gpu_streams.hpp"

namespace foldline::python {

namespace {

/// Of a vector by the pipeline for one, which is the fastest.
void queue_scans(const GpuArray& x, std::size_t axis, const GpuOutput& output, std::int64_t first,
                 const async::Queue& queue) {
  const std::int64_t width = size_of(output.type());
  const MutableArrayView out(output.data() + first, output.type(), x.shape,
                             AxisValues::generate(x.shape.size(), [&](std::size_t i) {
                               return x.shape[i] > 1 ? output.strides()[i] / width : 1;
                             }));
  const ArrayView from = x.view();
  if (x.shape.size() > 1) {
    async::inclusive_scan_axis(from, static_cast<std::int64_t>(axis), out, queue);
    return;
  }
  async::inclusive_scan(VectorView(from.at(0), x.type, x.size, from.strides()[0]),
                        MutableVectorView(out.at(0), output.type(), x.size, out.strides()[0]), queue);
}

/// All elements in the order of their indices; a copy if they do not lie so.
GpuArray flattened(const GpuArray& x, const char* caller) {
  GpuArray flat = dense(x, caller);
  flat.shape = {x.size};
  flat.strides = {size_of(x.type)};
  return flat;
}

}  // namespace

nb::object scan_on_gpu(nb::handle given, const ScanCall& call) {
  GpuArray x = gpu_array_from(given, call.name);
  if (call.axis.is_none() && x.axes() != 1) {
    if (!call.may_flatten) raise_axis_is_missing(call.name, x.axes());
    x = flattened(x, call.name);
  }
  if (!x.is_viewable()) x = copied(x, all_axes(x.axes()), call.name);
  const auto axis = static_cast<std::size_t>(call.axis.is_none() ? 0 : axis_from(call.axis, x.axes()));
  AxisValues shape = x.shape;
  if (call.begins_with_zero) ++shape[axis];
  GpuOutput output =
      GpuOutput::make(call.out, call.dtype, shape, default_result_type(Operation::sum, x.type), x, call.name);
  const ElementType type = output.type();
  if (!is_floating(type) && is_floating(x.type))
    raise(PyExc_TypeError, std::string(call.name) + ": sums of " + std::string(name_of(x.type)) + " as " +
                               std::string(name_of(type)) +
                               " would not be exact; ask for a floating-point type");
  if (output.size() == 0) return output.finish();
  const std::int64_t first = call.begins_with_zero ? output.strides()[axis] : 0;
  queue_work(
      x, possible_failure(Operation::sum, x.type, type, x.size), call.name, [&](const async::Queue& queue) {
        if (call.begins_with_zero)
          check_cuda(
              cudaMemsetAsync(output.data(), 0, static_cast<std::size_t>(output.size() * size_of(type)),
                              static_cast<cudaStream_t>(queue.stream)),
              "clearing results");
        if (x.size > 0) queue_scans(x, axis, output, first, queue);
      });
  return output.finish();
}

}  // namespace foldline::python
