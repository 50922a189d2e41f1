// Rounds results on the device, for asynchronous reductions.
#pragma once

#include <cuda_runtime_api.h>

#include "arithmetic/floating_point.hpp"
#include "contract/reduction.hpp"
#include "cuda/finish/kernel_result.hpp"
#include "foldline/context.hpp"
#include "results/integer_conversion.hpp"

namespace foldline::cuda {

/// How to round and where to store a result.
struct ResultTask {
  const KernelResult* sums;  // in device memory; unused if there are no elements
  std::int64_t count;
  ElementType elements;
  DeviceResult result;
  Needs needs;
  bool is_integer;  // the result's type is an integer
  bool wrap;        // integers wrap, else overflow is reported
  int bytes;
  FloatFormat format;
  IntegerFormat integer_format;
  unsigned long long* status;  // maximum of ~index over results that their type cannot hold; may be null
};

/// Adds the result of a launch to `total`, or stores it there if it is the first.
void launch_add_to_total(const KernelResult* part, KernelResult* total, bool is_first, cudaStream_t stream);

/// A task without `sums` and `status`.
ResultTask result_task(const Reduction& reduction, const DeviceResult& result, Overflow overflow);
/// Rounds and stores a result.
void launch_round_result(const ResultTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
