// cumulative_sum and cumsum.
#include <algorithm>
#include <string>
#include <vector>

#include "array.hpp"
#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/scan.hpp"
#include "gather.hpp"
#include "gpu.hpp"
#include "output.hpp"
#include "reduction_blocks.hpp"
#include "scans.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

/// A running sum along axes of an array (more than one: in the order of their indices), one for each position
/// along the others.
struct Scan {
  Operand x;
  std::vector<Axis> kept, along;
  std::byte* out;  // after what the sums begin with
  std::int64_t out_stride;
  ElementType out_type;
};

/// Any byte order and alignment: a block is copied at a time.
void scan_blocks(const Scan& scan, const Context& context) {
  constexpr std::int64_t block = 2048;
  std::array<std::byte, block * 8> copy;
  const std::int64_t length = positions(scan.along);
  const Axis inner = scan.along.empty() ? Axis{} : scan.along.back();
  for (std::int64_t i = 0; i < positions(scan.kept); ++i) {
    const Offsets at = offsets_of(scan.kept, i);
    RunningScan running(ScanKind::inclusive);
    for (std::int64_t first = 0; first < length;) {
      const std::int64_t rest_of_run = inner.extent - first % inner.extent;
      const std::int64_t n = std::min(rest_of_run, block);
      const std::byte* const from =
          scan.x.data + at[Axis::first] + offsets_of(scan.along, first)[Axis::first];
      gather({from, scan.x.type, scan.x.is_swapped, inner.strides[Axis::first]}, n, copy.data());
      running.next(VectorView(copy.data(), scan.x.type, n),
                   MutableVectorView(scan.out + at[Axis::out] + first * scan.out_stride, scan.out_type, n,
                                     scan.out_stride / size_of(scan.out_type)),
                   context);
      first += n;
    }
  }
}

/// The results without the zero that they begin with.
MutableArrayView after_zero(const Output& output, std::size_t axis, bool begins_with_zero) {
  const MutableArrayView all = output.view();
  if (!begins_with_zero) return all;
  AxisValues shape = all.shape();
  --shape[axis];
  return {all.at(all.shape()[axis] > 1 ? all.strides()[axis] : 0), all.type(), shape, all.strides()};
}

Scan scan_along(const Array& x, std::size_t axis, const MutableArrayView& sums) {
  const std::int64_t size = size_of(sums.type());
  Scan scan = {{x.data, x.type, x.is_swapped}, {}, {}, sums.at(0), sums.strides()[axis] * size, sums.type()};
  for (std::size_t i = 0; i < x.shape.size(); ++i)
    (i == axis ? scan.along : scan.kept)
        .push_back({.extent = x.shape[i], .strides = {x.strides[i], 0, 0, sums.strides()[i] * size}});
  return scan;
}

nb::object scan_axis(const Array& x, std::int64_t axis_number, const ScanCall& call) {
  const auto axis = static_cast<std::size_t>(axis_number);
  AxisValues shape = x.shape;
  if (call.begins_with_zero) ++shape[axis];
  Output output =
      Output::make(call.out, call.dtype, shape, default_result_type(Operation::sum, x.type), x, call.name);
  if (!is_floating(output.type()) && is_floating(x.type))
    raise(PyExc_TypeError, std::string(call.name) + ": sums of " + std::string(name_of(x.type)) + " as " +
                               std::string(name_of(output.type())) +
                               " would not be exact; ask for a floating-point type");
  const MutableArrayView sums = after_zero(output, axis, call.begins_with_zero);
  if (call.begins_with_zero) output.fill_with_zero();
  {
    const WithoutLock unlocked(x.size);
    if (x.is_viewable())
      inclusive_scan_axis(x.view(), axis_number, sums, current_context());
    else
      scan_blocks(scan_along(x, axis, sums), current_context());
  }
  return output.finish(call.name);
}

/// All elements in the order of their indices, as NumPy flattens.
nb::object scan_flattened(const Array& x, const ScanCall& call) {
  const std::int64_t size = x.size + (call.begins_with_zero ? 1 : 0);
  Output output =
      Output::make(call.out, call.dtype, {size}, default_result_type(Operation::sum, x.type), x, call.name);
  const std::int64_t stride = size > 1 ? output.stride(0) : 0;
  Scan scan = {{x.data, x.type, x.is_swapped},           {},     {},
               output.data() + (size - x.size) * stride, stride, output.type()};
  for (std::size_t i = 0; i < x.shape.size(); ++i)
    scan.along.push_back({.extent = x.shape[i], .strides = {x.strides[i], 0, 0, 0}});
  {
    const WithoutLock unlocked(x.size);
    scan_blocks(scan, current_context());
  }
  return output.finish(call.name);
}

nb::object cumulative_sum(nb::handle given, nb::handle axis, nb::handle dtype, bool include_initial,
                          nb::handle out) {
  const ScanCall call = {"foldline.cumulative_sum", axis, dtype, out, include_initial, false};
  if (is_on_gpu(given)) return scan_on_gpu(given, call);
  const Array x = array_from(given, call.name);
  if (axis.is_none() && x.axes() != 1) raise_axis_is_missing(call.name, x.axes());
  return scan_axis(x, axis.is_none() ? 0 : axis_from(axis, x.axes()), call);
}

nb::object cumsum(nb::handle given, nb::handle axis, nb::handle dtype, nb::handle out) {
  const ScanCall call = {"foldline.cumsum", axis, dtype, out, false, true};
  if (is_on_gpu(given)) return scan_on_gpu(given, call);
  const Array x = array_from(given, call.name);
  if (axis.is_none() && x.axes() != 1) return scan_flattened(x, call);
  return scan_axis(x, axis.is_none() ? 0 : axis_from(axis, x.axes()), call);
}

}  // namespace

void register_scans(nb::module_& module) {
  module.def(
      "cumulative_sum", cumulative_sum, nb::arg().none(), nb::kw_only(), nb::arg("axis") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::arg("include_initial") = false, nb::arg("out") = nb::none(),
      nb::sig("def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False, out=None)"),
      R"(Sums of the elements up to each, along an axis: each is the exact sum, rounded once, so none drifts.

`axis` may be left out for a vector only. `include_initial` puts a zero before the sums. Types are those of
`sum`.

Examples
--------
>>> import foldline as fl
>>> fl.cumulative_sum([1e16, 1.0, -1e16])
array([1.e+16, 1.e+16, 1.e+00])
>>> fl.cumulative_sum([1, 2, 3], include_initial=True)
array([0, 1, 3, 6])
)");
  module.def("cumsum", cumsum, nb::arg().none(), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(),
             nb::arg("out") = nb::none(), nb::sig("def cumsum(x, /, axis=None, dtype=None, out=None)"),
             R"(As `cumulative_sum`, by NumPy's older name: without an axis, of all elements in order.

Examples
--------
>>> import foldline as fl
>>> fl.cumsum([[1, 2], [3, 4]])
array([ 1,  3,  6, 10])
)");
}

}  // namespace foldline::python
