// Products of two vectors of different element types.
#pragma once

#include "contract/moments.hpp"
#include "foldline/context.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Adds the pairs (x_i, y_i) of an operation on two vectors, each element taken for the number it is,
/// exactly. Of different types on the CPU only: InvalidArgument elsewhere.
void reduce_pairs(Operation operation, const VectorView& x, const VectorView& y, const Context& context,
                  Moments& moments);

}  // namespace foldline
