// Reductions of segments of a vector in the memory of a GPU: they wait, since wrong offsets show only there.
#include <limits>
#include <string>

#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/segments.hpp"
#include "gpu_array.hpp"
#include "reduce_arguments.hpp"
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

}  // namespace

nb::object segments_on_gpu(const SegmentCall& call, nb::handle given, nb::handle given_offsets) {
  const GpuArray x = gpu_array_from(given, call.name), offsets = gpu_array_from(given_offsets, call.name);
  require_one_device(x, offsets, call.name);
  const VectorView values = vector_of(x, "the array", call.name),
                   places = vector_of(offsets, "offsets", call.name);
  if (is_floating(offsets.type) || offsets.type == ElementType::boolean)
    raise(PyExc_TypeError, std::string(call.name) + ": offsets have to be integers, not " +
                               std::string(name_of(offsets.type)));
  if (offsets.size == 0)
    raise(PyExc_ValueError, std::string(call.name) + ": offsets are one more than segments: at least one");
  const ElementType type = call.dtype.is_none() ? default_result_type(call.operation, x.type)
                                                : element_type_of_argument(call.dtype, call.name);
  check_result_type(call.name, call.operation, type);
  GpuOutput output(x, {offsets.size - 1}, type, call.name);
  {
    const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
    reduce_segments(call.operation, values, places, MutableVectorView(output.data(), type, output.size()), {},
                    {.execution = {.device = Device::cuda(x.device), .stream = x.stream}});
  }
  return output.finish();
}

}  // namespace foldline::python
