#include "gpu_chosen.hpp"

#include <limits>
#include <string>

#include "axes.hpp"
#include "errors.hpp"
#include "foldline/segments.hpp"
#include "gather.hpp"
#include "gpu_choose.hpp"
#include "gpu_streams.hpp"
#include "reduce_arguments.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

/// async::reduce_segments takes no longer ones.
constexpr std::int64_t longest_queued = std::int64_t{1} << 28;

/// Whether a kernel may read each element by one load.
bool is_aligned(const GpuArray& x) {
  return x.is_viewable() &&
         reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(size_of(x.type)) == 0;
}

/// Adds an axis, to the one before if both arrays lie like one along them.
void add_axis(Choice& choice, std::int64_t extent, std::int64_t x_stride, std::int64_t mask_stride,
              const char* caller) {
  if (extent == 1) return;
  if (choice.axes > 0) {
    const int before = choice.axes - 1;
    if (choice.x_strides[before] == x_stride * extent &&
        choice.mask_strides[before] == mask_stride * extent) {
      choice.extents[before] *= extent;
      choice.x_strides[before] = x_stride;
      choice.mask_strides[before] = mask_stride;
      return;
    }
  }
  if (choice.axes == Choice::most_axes)
    raise(PyExc_NotImplementedError, std::string(caller) + ": more than 16 axes with a mask on a GPU");
  choice.extents[choice.axes] = extent;
  choice.x_strides[choice.axes] = x_stride;
  choice.mask_strides[choice.axes] = mask_stride;
  ++choice.axes;
}

Choice choice_of(const ReduceCall& call, const GpuArray& x, const GpuArray& mask,
                 const std::vector<bool>& is_reduced) {
  Choice choice;
  choice.x = x.data;
  choice.mask = mask.data;
  choice.width = size_of(x.type);
  if (call.without_nan && is_floating(x.type)) choice.infinity = infinity_of(x.type);
  choice.size = x.size;
  choice.of_result = 1;
  const AxisValues mask_strides = broadcast_strides(mask.shape, mask.strides, x.shape, call.name);
  for (const bool wanted : {false, true})
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis)
      if (is_reduced[axis] == wanted) {
        add_axis(choice, x.shape[axis], x.strides[axis], mask_strides[axis], call.name);
        if (wanted) choice.of_result *= x.shape[axis];
      }
  if (choice.axes == 0) {  // one element
    choice.axes = 1;
    choice.extents[0] = 1;
    choice.x_strides[0] = choice.mask_strides[0] = 0;
  }
  return choice;
}

/// Bytes in the memory of the device, at multiples of 256.
struct Scratch {
  std::int64_t of_elements, of_offsets;
  std::size_t of_choice = 0;

  Scratch(const Choice& choice, const GpuArray& x)
      : of_elements(rounded(x.size * choice.width)),
        of_offsets(rounded((x.size / choice.of_result + 1) * std::int64_t{sizeof(std::int64_t)})) {
    const CurrentDevice current(x.device);
    check_cuda(bytes_for_choice(choice, of_choice), "asking for memory");
  }
  [[nodiscard]] std::int64_t size() const {
    return of_elements + of_offsets + static_cast<std::int64_t>(of_choice);
  }

 private:
  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }
};

Failure failure_of(const ReduceCall& call, const GpuArray& x, const GpuOutput& output) {
  const bool is_extremum = call.operation == Operation::minimum || call.operation == Operation::maximum;
  if (is_extremum && !is_floating(output.type())) return Failure::has_no_elements;
  return possible_failure(call.operation, x.type, output.type(), x.size);
}

}  // namespace

GpuArray mask_of(nb::handle where, const GpuArray& x, const char* caller) {
  GpuArray mask = gpu_array_from(where, caller);
  require_one_device(x, mask, caller);
  if (mask.type != ElementType::boolean)
    raise(PyExc_TypeError, std::string(caller) + ": where= has elements of type " +
                               std::string(name_of(mask.type)) + "; it has to be of bool");
  static_cast<void>(broadcast_strides(mask.shape, mask.strides, x.shape, caller));
  return mask;
}

void reduce_chosen(const ReduceCall& call, const GpuArray& given, const GpuArray& mask,
                   const std::vector<bool>& is_reduced, const GpuOutput& output) {
  const GpuArray x = is_aligned(given) ? given : copied(given, all_axes(given.axes()), call.name);
  const Choice choice = choice_of(call, x, mask, is_reduced);
  const Scratch bytes(choice, x);
  const GpuOutput scratch(x, {bytes.size()}, ElementType::uint8, call.name);
  std::byte* const elements = scratch.data();
  auto* const offsets = reinterpret_cast<std::int64_t*>(elements + bytes.of_elements);
  std::byte* const memory = elements + bytes.of_elements + bytes.of_offsets;

  const VectorView values(elements, x.type, x.size), ends(offsets, output.size() + 1);
  const MutableVectorView out(output.data(), output.type(), output.size());
  const bool is_queued = choice.of_result <= longest_queued;
  queue_work(x, is_queued ? failure_of(call, x, output) : Failure::none, call.name,
             [&](const async::Queue& queue) {
               check_cuda(choose(choice, memory, bytes.of_choice, elements, offsets,
                                 static_cast<cudaStream_t>(queue.stream)),
                          "choosing elements by a mask");
               if (is_queued) async::reduce_segments(call.operation, values, ends, out, call.options, queue);
             });
  if (is_queued) return;
  const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
  reduce_segments(call.operation, values, ends, out, call.options,
                  {.execution = {.device = Device::cuda(x.device), .stream = x.stream}});
}

}  // namespace foldline::python
