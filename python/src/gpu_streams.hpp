// Work that is queued in a stream of a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "foldline/async.hpp"
#include "gpu_array.hpp"

namespace foldline::python {

/// Throws a DeviceError that names the failed action.
void check_cuda(cudaError_t error, const char* doing);

/// Makes a device the thread's current one while it lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
  bool is_changed_ = false;
};

/// What may be wrong with a result that its type does not hold.
enum class Failure : std::uint8_t {
  none,
  is_too_large,
  is_not_whole,     // or too large: a sum of floating-point elements as an integer
  has_no_elements,  // or is too large: the smallest integer of what a mask takes
};

/// Of a result of `operation` (or of prefix sums, as of sums) of so many elements.
Failure possible_failure(Operation operation, ElementType elements, ElementType result, std::int64_t count);

/// Calls `work`, which queues calls of foldline::async, with a workspace of the stream of x, and without
/// Python's lock. If results may fail, or x's library has no current stream, it waits until they are there:
/// an OverflowError or InvalidArgument is thrown if one has failed. Into a graph that is captured nothing is
/// queued that may fail: that is an InvalidArgument.
void queue_work(const GpuArray& x, Failure possible, const char* caller,
                const std::function<void(const async::Queue&)>& work);

}  // namespace foldline::python
