// The contract between the operations and a backend: one function per pattern.
#pragma once

#include "foldline/plan.hpp"
#include "foldline/vector_view.hpp"
#include "moments.hpp"

namespace foldline {

/// A valid reduction: views checked, sizes and types equal.
struct Reduction {
  Needs needs;
  VectorView x;
  VectorView
      y;  // second factor of the products, and the weights whose sum `values` is, if there are two vectors
  bool two_vectors = false;
};

namespace cpu {
/// Adds the terms of the reduction to `moments`.
void reduce(const Reduction& reduction, const Plan& plan, Moments& moments);
}  // namespace cpu

}  // namespace foldline
