// Streams and events: all work is done when it has been asked for, so they have nothing to wait for. An event
// keeps the host's time at which it was recorded: what lies between two is the simulator's time, not a GPU's.
#include <cuda_runtime_api.h>

#include <chrono>
#include <optional>
#include <set>

#include "devices/device_state.hpp"

struct CUstream_st {};
struct CUevent_st {
  bool keeps_time;
  std::optional<std::chrono::steady_clock::time_point> recorded = std::nullopt;
};

namespace {

using simt::remember;

template <class Handle>
std::set<Handle>& alive() {
  static auto& all = *new std::set<Handle>;
  return all;
}

bool exists(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         alive<cudaStream_t>().contains(stream);
}

cudaError_t check_stream(const char* function, cudaStream_t stream) {
  if (exists(stream)) return cudaSuccess;
  return remember(cudaErrorInvalidResourceHandle, std::string(function) + ": there is no such stream");
}

cudaError_t check_event(const char* function, cudaEvent_t event) {
  if (alive<cudaEvent_t>().contains(event)) return cudaSuccess;
  return remember(cudaErrorInvalidResourceHandle, std::string(function) + ": there is no such event");
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st;
  alive<cudaStream_t>().insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (alive<cudaStream_t>().erase(stream) == 0) return check_stream("cudaStreamDestroy", stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return check_stream("cudaStreamSynchronize", stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return check_stream("cudaStreamQuery", stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const cudaError_t error = check_stream("cudaStreamWaitEvent", stream);
  return error != cudaSuccess ? error : check_event("cudaStreamWaitEvent", event);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int) {
  const cudaError_t error = check_stream("cudaStreamAddCallback", stream);
  if (error == cudaSuccess) callback(stream, cudaSuccess, data);
  return error;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const cudaError_t error = check_stream("cudaLaunchHostFunc", stream);
  if (error == cudaSuccess) function(data);
  return error;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  *event = new CUevent_st{(flags & cudaEventDisableTiming) == 0};
  alive<cudaEvent_t>().insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  cudaError_t error = check_event("cudaEventRecord", event);
  if (error == cudaSuccess) error = check_stream("cudaEventRecord", stream);
  if (error == cudaSuccess) event->recorded = std::chrono::steady_clock::now();
  return error;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return check_event("cudaEventSynchronize", event); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return check_event("cudaEventQuery", event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  cudaError_t error = check_event("cudaEventElapsedTime", start);
  if (error == cudaSuccess) error = check_event("cudaEventElapsedTime", end);
  if (error != cudaSuccess) return error;
  if (!start->recorded || !end->recorded || !start->keeps_time || !end->keeps_time)
    return remember(cudaErrorInvalidResourceHandle,
                    "cudaEventElapsedTime: both events must have been recorded, and created to take times");
  *milliseconds = std::chrono::duration<float, std::milli>(*end->recorded - *start->recorded).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (alive<cudaEvent_t>().erase(event) == 0) return check_event("cudaEventDestroy", event);
  delete event;
  return cudaSuccess;
}
