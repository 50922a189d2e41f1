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

/// Whether the type of results may not hold one of `operation` (or of prefix sums, as of sums) of so many
/// elements.
bool may_overflow(Operation operation, ElementType elements, ElementType result, std::int64_t count);

/// Calls `work`, which queues calls of foldline::async, with a workspace of the stream of x, and without
/// Python's lock. If results may overflow, or x's library has no current stream, it waits until they are
/// there: then an OverflowError is thrown. Into a graph that is captured nothing is queued that may overflow:
/// that is an InvalidArgument.
void queue_work(const GpuArray& x, bool may_overflow, const char* caller,
                const std::function<void(const async::Queue&)>& work);

}  // namespace foldline::python
