// Calls of one contestant, one after the other.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "contestant.hpp"

namespace foldline::bench::cuda {

/// The calls are a CUDA graph, so that the GPU does not wait for the host between short ones; those that
/// cannot be captured are queued one by one.
class Batch {
 public:
  /// The contestant must have been called before, since kernels are loaded at first use, and must outlive the
  /// batch.
  Batch(const DeviceContestant& contestant, std::int64_t calls, cudaStream_t stream);
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch&&) = delete;
  ~Batch();

  /// Queues all calls.
  void launch() const;
  std::int64_t calls() const { return calls_; }

 private:
  void queue_calls() const;

  const DeviceContestant* contestant_;
  std::int64_t calls_;
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace foldline::bench::cuda
