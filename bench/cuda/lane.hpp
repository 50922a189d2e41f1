// Where everything is queued: one stream of the first GPU.
#pragma once

#include <cstdint>

#include <foldline/async.hpp>

#include "memory.hpp"

namespace foldline::bench::cuda {

class Lane {
 public:
  Lane() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    take_status();
  }
  ~Lane() { cudaStreamDestroy(stream_); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  cudaStream_t stream() const { return stream_; }
  /// For calls that do not wait.
  async::Queue queue() { return {.workspace = &workspace_, .stream = stream_, .status = status_.get()}; }
  /// Negative if an integer did not fit since this was last asked; waits.
  std::int64_t take_status() {
    const std::int64_t status = copy_to_host(status_.get(), 1).front();
    check(cudaMemset(status_.get(), 0, sizeof status), "clearing the status");
    check(cudaDeviceSynchronize(), "clearing the status");
    return status;
  }

 private:
  cudaStream_t stream_ = nullptr;
  DeviceWorkspace workspace_{Device::cuda()};
  DeviceArray<std::int64_t> status_ = device_array<std::int64_t>(1);
};

}  // namespace foldline::bench::cuda
