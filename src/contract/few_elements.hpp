// Results of few elements, for which a backend's sums and the rounding of integers cost more than the
// additions.
#pragma once

#include <cstdint>

#include "foldline/operation.hpp"
#include "foldline/vector_view.hpp"

namespace foldline::cpu {

/// Vectors of at most this many elements are tried.
inline constexpr std::int64_t few_elements = 128;

/// The correctly rounded result of an operation as a value of type `result`, if a few floating-point
/// operations are certain of it; false otherwise, as for zeros, infinities and results close to a tie. Takes
/// sums, dot products, norms and means of contiguous floats or doubles with results of these types; all else
/// is false, too. The views are valid; `y` is looked at for operations on two vectors only.
bool reduce_few(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                double& value);

}  // namespace foldline::cpu
