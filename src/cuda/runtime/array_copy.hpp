// Copies of arrays of the host in the memory of a device, with whatever lies between their elements.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cuda/runtime/buffer.hpp"

namespace foldline::cuda {

/// The bytes from the lowest to the highest one of an array, relative to the element of index 0.
struct ArraySpan {
  std::int64_t first = 0, end;

  /// An array of no axes.
  explicit ArraySpan(std::int64_t width) : end(width) {}
  /// Adds an axis of more than no elements; the stride is in bytes.
  void extend(std::int64_t extent, std::int64_t stride) {
    (stride < 0 ? first : end) += (extent - 1) * stride;
  }
  std::int64_t bytes() const { return end - first; }
};

/// Queues a copy of the array whose element of index 0 is at `data`, to a buffer that it makes. Returns where
/// the copy of that element is: at an address with the same remainder modulo 16.
std::byte* copy_to_device(const std::byte* data, const ArraySpan& span, std::optional<Buffer>& buffer,
                          cudaStream_t stream);

}  // namespace foldline::cuda
