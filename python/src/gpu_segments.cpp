// Reductions of segments and groups of a vector in the memory of a GPU: they wait, since wrong offsets and
// keys show only there.
#include <limits>
#include <string>

#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/segments.hpp"
#include "gpu_array.hpp"
#include "reduce_arguments.hpp"
#include "segments.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

VectorView vector_of(const GpuArray& array, const char* what, const char* caller) {
  if (array.axes() != 1)
    raise(PyExc_ValueError, std::string(caller) + ": " + what + " has to be a vector, but has " +
                                std::to_string(array.axes()) + " axes");
  if (!array.is_viewable())
    raise(PyExc_NotImplementedError,
          std::string(caller) + ": the distance of elements is no multiple of their size; copy the array");
  return {array.data, array.type, array.size, array.size > 1 ? array.strides[0] / size_of(array.type) : 1};
}

VectorView integers_of(const GpuArray& array, const char* what, const char* caller) {
  const VectorView view = vector_of(array, what, caller);
  if (is_floating(array.type) || array.type == ElementType::boolean)
    raise(PyExc_TypeError, std::string(caller) + ": " + what + " have to be integers, not " +
                               std::string(name_of(array.type)));
  return view;
}

GpuOutput output_for(const SegmentCall& call, std::int64_t results, const GpuArray& x) {
  const ElementType type = call.dtype.is_none() ? default_result_type(call.operation, x.type)
                                                : element_type_of_argument(call.dtype, call.name);
  check_result_type(call.name, call.operation, type);
  return {x, {results}, type, call.name};
}

MutableVectorView view_of(const GpuOutput& output) {
  return MutableVectorView(output.data(), output.type(), output.size());
}

Context context_of(const GpuArray& x) {
  return {.execution = {.device = Device::cuda(x.device), .stream = x.stream}};
}

}  // namespace

nb::object segments_on_gpu(const SegmentCall& call, nb::handle given, nb::handle given_offsets) {
  const GpuArray x = gpu_array_from(given, call.name), offsets = gpu_array_from(given_offsets, call.name);
  require_one_device(x, offsets, call.name);
  const VectorView values = vector_of(x, "the array", call.name),
                   places = integers_of(offsets, "offsets", call.name);
  if (offsets.size == 0)
    raise(PyExc_ValueError, std::string(call.name) + ": offsets are one more than segments: at least one");
  GpuOutput output = output_for(call, offsets.size - 1, x);
  {
    const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
    reduce_segments(call.operation, values, places, view_of(output), {}, context_of(x));
  }
  return output.finish();
}

nb::object groups_on_gpu(const SegmentCall& call, nb::handle given_keys, nb::handle given,
                         nb::handle groups) {
  const GpuArray x = gpu_array_from(given, call.name), keys = gpu_array_from(given_keys, call.name);
  require_one_device(x, keys, call.name);
  const VectorView values = vector_of(x, "the array", call.name),
                   places = integers_of(keys, "keys", call.name);
  if (keys.size != x.size)
    raise(PyExc_ValueError, std::string(call.name) + ": " + std::to_string(keys.size) + " keys for " +
                                std::to_string(x.size) + " elements");
  GpuOutput output = output_for(call, groups_of_argument(groups, places, context_of(x), call.name), x);
  {
    const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
    reduce_by_key(call.operation, places, values, view_of(output), {}, context_of(x));
  }
  return output.finish();
}

}  // namespace foldline::python
