// CUB's reductions of the rows of a matrix.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include <foldline/types.hpp>

namespace foldline::bench::cuda {

struct SegmentedReduce {
  const void* x;
  void* out;
  ElementType type;
  bool is_sum;  ///< or the maximum
  std::int64_t rows, columns;
};

/// As CUB's own functions: without memory the bytes that it needs. False for a type that it is not measured
/// with. Sums of integers go to int64.
bool queue_segmented_reduce(const SegmentedReduce& call, void* memory, std::size_t& bytes,
                            cudaStream_t stream);

}  // namespace foldline::bench::cuda
