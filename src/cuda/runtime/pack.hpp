// Vectors of the host, one element behind another in pinned memory.
#pragma once

#include <cstddef>

#include "foldline/vector_view.hpp"

namespace foldline::cuda {

/// Copies the elements of a vector one behind another. Not empty.
void pack(const VectorView& x, std::byte* target);
/// Copies elements that lie one behind another to a vector.
void unpack(const std::byte* source, const MutableVectorView& out);

}  // namespace foldline::cuda
