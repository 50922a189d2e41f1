// Prefix sums of arrays in the memory of a GPU: one call is queued for each vector.
#include <string>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "gpu_array.hpp"
#include "gpu_streams.hpp"
#include "reduction_blocks.hpp"

namespace foldline::python {

namespace {

/// Sums along one axis, the others' positions one after the other.
struct GpuScan {
  std::vector<Axis> kept;
  Axis along;
};

GpuScan scan_along(const GpuArray& x, std::size_t axis, const AxisValues& out_strides) {
  GpuScan scan;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const Axis shared{.extent = x.shape[i], .strides = {x.strides[i], 0, 0, out_strides[i]}};
    if (i == axis)
      scan.along = shared;
    else
      scan.kept.push_back(shared);
  }
  return scan;
}

void queue_scans(const GpuScan& scan, const GpuArray& x, const GpuOutput& output, std::int64_t first,
                 const async::Queue& queue) {
  const std::int64_t width = size_of(x.type), out_width = size_of(output.type());
  const auto stride = [&](std::size_t which, std::int64_t size) {
    return scan.along.extent > 1 ? scan.along.strides[which] / size : 1;
  };
  for (std::int64_t i = 0; i < positions(scan.kept); ++i) {
    const Offsets at = offsets_of(scan.kept, i);
    async::inclusive_scan(
        VectorView(x.data + at[Axis::first], x.type, scan.along.extent, stride(Axis::first, width)),
        MutableVectorView(output.data() + first + at[Axis::out], output.type(), scan.along.extent,
                          stride(Axis::out, out_width)),
        queue);
  }
}

/// All elements in the order of their indices; a copy if they do not lie so.
GpuArray flattened(const GpuArray& x, const char* caller) {
  const AxisValues dense = row_major_strides(x.shape);
  GpuArray flat = x;
  for (std::size_t axis = 0; axis < dense.size(); ++axis)
    if (x.shape[axis] > 1 && x.strides[axis] != dense[axis] * size_of(x.type) && x.size > 0) {
      flat = copied(x, all_axes(x.axes()), caller);
      break;
    }
  flat.shape = {x.size};
  flat.strides = {size_of(x.type)};
  return flat;
}

}  // namespace

nb::object scan_on_gpu(nb::handle given, const ScanCall& call) {
  if (!call.out.is_none())
    raise(PyExc_NotImplementedError,
          std::string(call.name) + ": arrays in the memory of a GPU have no out= so far; use the result");
  GpuArray x = gpu_array_from(given, call.name);
  if (call.axis.is_none() && x.axes() != 1) {
    if (!call.may_flatten) raise_axis_is_missing(call.name, x.axes());
    x = flattened(x, call.name);
  }
  if (!x.is_viewable()) x = copied(x, all_axes(x.axes()), call.name);
  const auto axis = static_cast<std::size_t>(call.axis.is_none() ? 0 : axis_from(call.axis, x.axes()));
  AxisValues shape = x.shape;
  if (call.begins_with_zero) ++shape[axis];
  const ElementType type = call.dtype.is_none() ? default_result_type(Operation::sum, x.type)
                                                : element_type_of_argument(call.dtype, call.name);
  if (!is_floating(type) && is_floating(x.type))
    raise(PyExc_TypeError, std::string(call.name) + ": sums of " + std::string(name_of(x.type)) + " as " +
                               std::string(name_of(type)) +
                               " would not be exact; ask for a floating-point type");
  GpuOutput output(x, shape, type, call.name);
  if (output.size() == 0) return output.finish();
  const GpuScan scan = scan_along(x, axis, output.strides());
  const std::int64_t first = call.begins_with_zero ? output.strides()[axis] : 0;
  queue_work(
      x, may_overflow(Operation::sum, x.type, type, x.size), call.name, [&](const async::Queue& queue) {
        if (call.begins_with_zero)
          check_cuda(
              cudaMemsetAsync(output.data(), 0, static_cast<std::size_t>(output.size() * size_of(type)),
                              static_cast<cudaStream_t>(queue.stream)),
              "clearing results");
        if (x.size > 0) queue_scans(scan, x, output, first, queue);
      });
  return output.finish();
}

}  // namespace foldline::python
