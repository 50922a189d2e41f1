// Distances between neighbouring samples.
#pragma once

#include "foldline/vector_view.hpp"

namespace foldline::quadrature {

/// out[i] = x[i + 1] - x[i], rounded once, for all i but the last.
void distances(const VectorView& x, double* out);

}  // namespace foldline::quadrature
