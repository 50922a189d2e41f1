#include "gpu_streams.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "foldline/device_workspace.hpp"
#include "foldline/error.hpp"
#include "threads.hpp"

namespace foldline::python {

void check_cuda(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the next call begins without it
  throw DeviceError(std::string("CUDA: ") + doing + " failed: " + cudaGetErrorString(error));
}

CurrentDevice::CurrentDevice(int device) {
  check_cuda(cudaGetDevice(&before_), "asking for the current device");
  if (device == before_) return;
  check_cuda(cudaSetDevice(device), "choosing the device");
  is_changed_ = true;
}

CurrentDevice::~CurrentDevice() {
  if (is_changed_) cudaSetDevice(before_);
}

namespace {

/// Calls that may fail while anyone captures a graph are allowed to this thread while it lives: they belong
/// to no graph.
class AllowedWhileCapturing {
 public:
  AllowedWhileCapturing() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~AllowedWhileCapturing() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowedWhileCapturing(const AllowedWhileCapturing&) = delete;
  AllowedWhileCapturing& operator=(const AllowedWhileCapturing&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// What calls in one stream work with. Threads take turns to queue.
struct Workspace {
  explicit Workspace(int device) : memory(Device::cuda(device)) {
    void* word = nullptr;
    check_cuda(cudaHostAlloc(&word, sizeof(std::int64_t), cudaHostAllocPortable), "allocating pinned memory");
    status = static_cast<std::int64_t*>(word);
    *status = 0;
  }
  ~Workspace() { cudaFreeHost(status); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  DeviceWorkspace memory;
  std::int64_t* status = nullptr;
  std::mutex queueing;
};

/// The graph that a stream is captured into.
struct Capture {
  bool is_on = false;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
};

Capture capture_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  Capture capture;
#if CUDART_VERSION >= 13000
  check_cuda(
      cudaStreamGetCaptureInfo(stream, &status, &capture.id, &capture.graph, nullptr, nullptr, nullptr),
      "asking whether the stream is captured");
#else
  check_cuda(cudaStreamGetCaptureInfo(stream, &status, &capture.id, &capture.graph, nullptr, nullptr),
             "asking whether the stream is captured");
#endif
  capture.is_on = status == cudaStreamCaptureStatusActive;
  return capture;
}

/// The workspaces of streams and of graphs. A graph has its own, which lives as long as it: its replays may
/// run at the same time as other work of the stream that it was captured in.
class Workspaces {
 public:
  std::shared_ptr<Workspace> of(int device, cudaStream_t stream, const Capture& capture) {
    const std::lock_guard lock(mutex_);
    if (capture.is_on) return of_graph(device, capture);
    for (const unsigned long long ended : ended_graphs())
      std::erase_if(of_graphs_, [&](const auto& entry) { return entry.first.second == ended; });
    unsigned long long id = 0;  // unlike a handle, never used again for another stream
    check_cuda(cudaStreamGetId(stream, &id), "asking which stream it is");
    std::shared_ptr<Workspace>& workspace = of_streams_[{device, id}];
    if (workspace != nullptr) return workspace;
    if (of_streams_.size() > most_streams) forget_streams(device);
    return of_streams_[{device, id}] = std::make_shared<Workspace>(device);
  }

 private:
  static constexpr std::size_t most_streams = 16;  // of 35 MB each

  std::shared_ptr<Workspace> of_graph(int device, const Capture& capture) {
    std::shared_ptr<Workspace>& workspace = of_graphs_[{device, capture.id}];
    if (workspace != nullptr) return workspace;
    workspace = std::make_shared<Workspace>(device);
    cudaUserObject_t owned = nullptr;
    check_cuda(cudaUserObjectCreate(&owned, reinterpret_cast<void*>(static_cast<std::uintptr_t>(capture.id)),
                                    graph_ended, 1, cudaUserObjectNoDestructorSync),
               "giving a graph its workspace");
    check_cuda(cudaGraphRetainUserObject(capture.graph, owned, 1, cudaGraphUserObjectMove),
               "giving a graph its workspace");
    return workspace;
  }

  /// When all of the device's work is done, none of its workspaces is in use but by threads that hold it.
  void forget_streams(int device) {
    check_cuda(cudaDeviceSynchronize(), "waiting for the device");
    std::erase_if(of_streams_, [&](const auto& entry) { return entry.first.first == device; });
  }

  /// Calls nothing of CUDA, as it must not.
  static void CUDART_CB graph_ended(void* id);

  std::vector<unsigned long long> ended_graphs() {
    const std::lock_guard lock(ended_mutex_);
    return std::exchange(ended_graphs_, {});
  }

  std::mutex mutex_, ended_mutex_;
  /// By device and number of the stream or graph.
  std::map<std::pair<int, unsigned long long>, std::shared_ptr<Workspace>> of_streams_, of_graphs_;
  std::vector<unsigned long long> ended_graphs_;
};

/// Never destroyed: the CUDA runtime may end first.
Workspaces& workspaces() {
  static Workspaces* const all = new Workspaces;
  return *all;
}

void Workspaces::graph_ended(void* id) {
  const std::lock_guard lock(workspaces().ended_mutex_);
  workspaces().ended_graphs_.push_back(reinterpret_cast<std::uintptr_t>(id));
}

[[noreturn]] void throw_failure(Failure failure, const std::string& caller) {
  constexpr const char* too_large = "does not fit its integer type";
  if (failure == Failure::is_not_whole)
    throw InvalidArgument(caller + ": a result is no whole number, or " + too_large);
  if (failure == Failure::has_no_elements)
    throw InvalidArgument(caller + ": a result is the smallest or largest of no elements, or " + too_large);
  throw OverflowError(caller + ": a result " + too_large, "", false);
}

}  // namespace

Failure possible_failure(Operation operation, ElementType elements, ElementType result, std::int64_t count) {
  if (is_floating(result)) return Failure::none;
  if (is_floating(elements)) return Failure::is_not_whole;
  const auto fails_if = [](bool may_fail) { return may_fail ? Failure::is_too_large : Failure::none; };
  if (operation == Operation::minimum || operation == Operation::maximum) return fails_if(elements != result);
  if (size_of(result) < 8 || (is_signed(elements) && !is_signed(result)) || count > std::int64_t{1} << 30)
    return Failure::is_too_large;
  return fails_if(size_of(elements) > (operation == Operation::dot ? 2 : 4));
}

void queue_work(const GpuArray& x, Failure possible, const char* caller,
                const std::function<void(const async::Queue&)>& work) {
  const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
  const CurrentDevice current(x.device);
  const auto stream = static_cast<cudaStream_t>(x.stream);
  const Capture capture = capture_of(stream);
  if (capture.is_on && possible != Failure::none)
    throw InvalidArgument(
        std::string(caller) +
        ": in a CUDA graph nobody would learn that a result does not fit its integer type; ask for a "
        "floating-point dtype");
  const AllowedWhileCapturing allowed;
  const std::shared_ptr<Workspace> workspace = workspaces().of(x.device, stream, capture);
  const std::lock_guard lock(workspace->queueing);
  work({.workspace = &workspace->memory, .stream = stream, .status = workspace->status});
  if (possible == Failure::none && has_current_stream(x)) return;
  check_cuda(cudaStreamSynchronize(stream), "waiting for the results");
  if (std::exchange(*workspace->status, 0) < 0) throw_failure(possible, caller);
}

}  // namespace foldline::python
