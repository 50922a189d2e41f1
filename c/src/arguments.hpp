// From what a C caller gives to what the C++ functions take.
#pragma once

#include <optional>

#include "foldline.h"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/operation.hpp"
#include "foldline/scalar.hpp"
#include "foldline/vector_view.hpp"

struct foldline_context {
  foldline::Context cpp;
};

namespace foldline::c {

/// All of these throw InvalidArgument for what cannot be; `what` names the argument.
Operation operation_of(foldline_operation operation);
ElementType type_of(foldline_type type);
std::optional<std::int64_t> ddof_of(std::int64_t ddof);
/// NULL is the default.
Context context_of(const foldline_context* context);

ArrayView array_of(const foldline_array* array, const char* what);
MutableArrayView mutable_array_of(const foldline_array* array, const char* what);
/// An array of one axis, or of none.
VectorView vector_of(const foldline_array* array, const char* what);
MutableVectorView mutable_vector_of(const foldline_array* array, const char* what);
/// Of a result: exactly one element.
MutableVectorView one_element_of(const foldline_array* array, const char* what);
/// The value of an array of one element; NULL is the double 0.
Scalar scalar_of(const foldline_array* array, const char* what);
/// Of two axes, rows or columns side by side in memory.
MatrixView matrix_of(const foldline_array* array, const char* what);

/// A number of an enumeration, less than `count`.
template <class Enumeration>
Enumeration chosen(std::int32_t number, std::int32_t count, const char* what) {
  if (number < 0 || number >= count)
    throw InvalidArgument("foldline: " + std::to_string(number) + " is no " + what);
  return static_cast<Enumeration>(number);
}

}  // namespace foldline::c
