// Products of two vectors of different element types.
#pragma once

#include "contract/moments.hpp"
#include "foldline/context.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Adds the pairs (x_i, y_i) of an operation on two vectors, with the exact value of each element. Pairs of
/// different types on the CPU only: InvalidArgument elsewhere.
void reduce_pairs(Operation operation, const VectorView& x, const VectorView& y, const Context& context,
                  Moments& moments);

}  // namespace foldline
