// Copies between vectors in host memory and contiguous pinned memory.
#pragma once

#include <cstddef>

#include "foldline/vector_view.hpp"

namespace foldline::cuda {

/// Copies the elements of a non-empty vector to contiguous memory.
void pack(const VectorView& x, std::byte* target);
/// Copies contiguous elements to a vector.
void unpack(const std::byte* source, const MutableVectorView& out);

}  // namespace foldline::cuda
