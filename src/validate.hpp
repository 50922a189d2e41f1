// The checks at the public boundary. Below it nothing is checked again.
#pragma once

#include <string_view>

#include "foldline/accumulator.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Throw InvalidArgument with a message that names the operation.
void validate(Operation operation, const VectorView& x);
void validate(Operation operation, const VectorView& x, const VectorView& y);
/// The part of it that concerns one vector, `name`.
void validate_view(std::string_view operation, const VectorView& view, const char* name);
void validate_ddof(Operation operation, std::int64_t ddof);
/// Refuses integers for results that are not whole numbers in general.
void validate_result_type(Operation operation, ElementType type);

}  // namespace foldline
