// Results of reductions that nobody waits for: rounded by a kernel.
#pragma once

#include <cuda_runtime_api.h>

#include "arithmetic/floating_point.hpp"
#include "contract/async_backend.hpp"
#include "cuda/finish/results.hpp"
#include "results/whole_results.hpp"

namespace foldline::cuda {

/// What is to become of the sums of a reduction.
struct ResultTask {
  const KernelResult* sums;  // on the device; not looked at for no elements
  std::int64_t count;
  ElementType elements;
  DeviceResult result;
  Needs needs;
  bool whole;  // whether it is an integer
  bool wrap;   // if that does not fit
  int bytes;
  FloatFormat format;
  IntegerFormat integer_format;
  unsigned long long* status;  // the largest ~index of a result that its type cannot hold; may be null
};

/// Adds what a launch of a reduction found to `total`, or puts it there if it is the first one.
void launch_add_to_total(const KernelResult* part, KernelResult* total, bool is_first, cudaStream_t stream);

/// The task without the places of the sums and of the status.
ResultTask result_task(const Reduction& reduction, const DeviceResult& result, Overflow overflow);
/// Rounds and stores a result.
void launch_round_result(const ResultTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
