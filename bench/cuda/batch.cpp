#include "batch.hpp"

#include <utility>

namespace foldline::bench::cuda {
namespace {

/// What `queue` queues in the stream, as a graph.
template <class Queue>
cudaGraph_t capture(cudaStream_t stream, const Queue& queue) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a graph");
  try {
    queue();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);  // the stream cannot be used while it is captured
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "ending a graph");
  return graph;
}

}  // namespace

Batch::Batch(const DeviceContestant& contestant, std::int64_t calls, cudaStream_t stream)
    : contestant_(&contestant), calls_(calls), stream_(stream) {
  if (!contestant.capturable) return;
  cudaGraph_t graph = capture(stream, [this] { queue_calls(); });
  const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
  cudaGraphDestroy(graph);
  check(error, "making a graph");
}

Batch::Batch(Batch&& other) noexcept
    : contestant_(other.contestant_),
      calls_(other.calls_),
      stream_(other.stream_),
      graph_(std::exchange(other.graph_, nullptr)) {}

Batch::~Batch() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
}

void Batch::launch() const {
  if (graph_ == nullptr)
    queue_calls();
  else
    check(cudaGraphLaunch(graph_, stream_), "starting a graph");
}

void Batch::queue_calls() const {
  for (std::int64_t call = 0; call < calls_; ++call) contestant_->queue(call);
}

}  // namespace foldline::bench::cuda
