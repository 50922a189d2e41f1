// Checks at the public boundary. Below it nothing is checked again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Throw InvalidArgument with a message that names the operation.
[[noreturn]] void refuse(std::string_view operation, const std::string& what);
[[noreturn]] void refuse(Operation operation, const std::string& what);
void validate(Operation operation, const VectorView& x);
void validate(Operation operation, const VectorView& x, const VectorView& y);
/// Refuses two element types, for GPUs.
void require_same_type(Operation operation, const VectorView& x, const VectorView& y);
/// Checks one vector; `name` is for the message.
void validate_view(std::string_view operation, const VectorView& view, const char* name);
/// Whether it is an operation that makes one vector one number.
bool makes_one_number(Operation operation);
/// What is taken from n in the divisor of a variance: what was asked for, or what is usual.
std::int64_t checked_ddof(Operation operation, std::optional<std::int64_t> asked);
/// Refuses integers for results that are not whole numbers in general.
void validate_result_type(Operation operation, ElementType type);
/// The axis as an index in [0, axes); a negative one counts from the last one, -1.
std::size_t checked_axis(std::string_view operation, const ArrayView& a, std::int64_t axis);

/// The addresses [first, second) of the bytes from an array's lowest to its highest one; it has elements.
std::pair<std::uintptr_t, std::uintptr_t> address_range(const ArrayView& array);
/// The shape for a message: "2 x 3".
std::string text_of_shape(const ArrayView& array);

/// Refuses any device but the CPU, for a `caller` that does not run elsewhere yet.
void require_cpu(std::string_view caller, const Execution& execution);

}  // namespace foldline
