#pragma once

#include "foldline/vector_view.hpp"

namespace foldline::quadrature {

/// high[i] = x[i + 1] - x[i], rounded, for all elements but the last; low[i] is what rounding left out,
/// exactly, or 0 if the rounded distance is not finite. Returns whether any of low is not 0.
bool distances(const VectorView& x, double* high, double* low);

}  // namespace foldline::quadrature
