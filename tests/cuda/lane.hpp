// What the tests of calls that do not wait have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "reductions.hpp"

namespace cuda_test {

using foldline::Device;
using foldline::DeviceWorkspace;
using foldline::MutableVectorView;
namespace async = foldline::async;

/// A stream with a workspace, and room for a result and a status.
class Lane {
 public:
  Lane() : results_(16), status_(1) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    set_bytes(status_.data(), 0, sizeof(std::int64_t));
    check(cudaDeviceSynchronize());
  }
  ~Lane() { cudaStreamDestroy(stream_); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  async::Queue queue() { return {.workspace = &workspace_, .stream = stream_, .status = status_.data()}; }
  cudaStream_t stream() const { return stream_; }
  template <class T = double>
  T* result(int i = 0) const {
    return reinterpret_cast<T*>(results_.data() + i);
  }
  void wait() const { check(cudaStreamSynchronize(stream_)); }
  template <class T = double>
  T fetch(int i = 0) const {
    wait();
    T value;
    check(cudaMemcpy(&value, result<T>(i), sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  std::int64_t take_status() {
    wait();
    std::int64_t value = 0;
    check(cudaMemcpy(&value, status_.data(), sizeof value, cudaMemcpyDeviceToHost));
    set_bytes(status_.data(), 0, sizeof value);
    check(cudaDeviceSynchronize());
    return value;
  }

 private:
  cudaStream_t stream_ = nullptr;
  DeviceWorkspace workspace_{Device::cuda()};
  DeviceMemory<std::uint64_t> results_;
  DeviceMemory<std::int64_t> status_;
};

class CudaAsync : public GpuTest {};

/// What a stream does in `work`, as a graph.
template <class Work>
cudaGraphExec_t captured(const Lane& lane, const Work& work) {
  check(cudaStreamBeginCapture(lane.stream(), cudaStreamCaptureModeGlobal));
  work();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(lane.stream(), &graph));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphDestroy(graph));
  return executable;
}

inline void put(Operation operation, const VectorView& x, const VectorView& y,
                const MutableVectorView& result, const async::Queue& queue) {
  if (operation == Operation::dot || operation == Operation::weighted_mean)
    async::reduce(operation, x, y, result, queue);
  else
    async::reduce(operation, x, result, {.ddof = 1}, queue);
}

/// Every operation's result, as bits; queued all at once.
inline std::vector<std::uint64_t> all_results(const VectorView& x, const VectorView& y, Lane& lane) {
  std::vector<std::uint64_t> results;
  for (std::size_t i = 0; i < oracle::all_operations.size(); ++i)
    if (has_result(oracle::all_operations[i], x))
      put(oracle::all_operations[i], x, y, MutableVectorView(lane.result(static_cast<int>(i)), 1),
          lane.queue());
  for (std::size_t i = 0; i < oracle::all_operations.size(); ++i)
    if (has_result(oracle::all_operations[i], x))
      results.push_back(lane.fetch<std::uint64_t>(static_cast<int>(i)));
  return results;
}
inline std::vector<std::uint64_t> all_results(const VectorView& x, const VectorView& y) {
  return results_of_operations(x, y, 1);
}

}  // namespace cuda_test
