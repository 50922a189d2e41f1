// The checks at the public boundary. Below it nothing is checked again.
#pragma once

#include "foldline/accumulator.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Throw InvalidArgument with a message that names the operation.
void validate(Operation operation, const VectorView& x);
void validate(Operation operation, const VectorView& x, const VectorView& y);
void validate_ddof(Operation operation, std::int64_t ddof);
/// Refuses integers for results that are not whole numbers in general.
void validate_result_type(Operation operation, ElementType type);

}  // namespace foldline
