// Copies the elements that count side by side, in the memory of a GPU: what a mask takes, what is no NaN.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace foldline::python {

/// The elements of an array in the order of some axes, and which of them count. Strides are in bytes.
struct Choice {
  static constexpr int most_axes = 16;
  static constexpr std::uint64_t keeps_nan = ~std::uint64_t{0};

  const std::byte* x = nullptr;     // at a multiple of the width, as all elements
  const std::byte* mask = nullptr;  // bytes; null: all count
  int axes = 0;                     // the first one changes slowest; at least one
  std::int64_t extents[most_axes], x_strides[most_axes], mask_strides[most_axes];
  std::int64_t size = 0;       // elements in all, not 0
  std::int64_t of_result = 0;  // those of one result, which follow each other
  std::int64_t width = 8;      // of an element: 1, 2, 4 or 8 bytes
  std::uint64_t infinity =
      keeps_nan;  // the bits of infinity: an element without its sign is NaN if it is larger
};

/// The bytes of memory that `choose` needs besides its results, on the current device.
cudaError_t bytes_for_choice(const Choice& choice, std::size_t& bytes);

/// Queues, on the current device: the elements that count go to `elements`, which has room for all; those of
/// result i become elements[offsets[i]] to elements[offsets[i + 1] - 1].
///
/// One pass over the mask, and over x if NaN does not count, and one over x; 5 bytes for each element are
/// written and read between them, 9 from 2^32 elements on.
cudaError_t choose(const Choice& choice, std::byte* memory, std::size_t bytes, std::byte* elements,
                   std::int64_t* offsets, cudaStream_t stream);

}  // namespace foldline::python
