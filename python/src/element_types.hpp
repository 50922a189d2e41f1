// Between NumPy's dtypes and foldline's element types.
#pragma once

#include <optional>

#include "foldline/operation.hpp"
#include "foldline/scalar.hpp"
#include "foldline/types.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

/// The element type, whatever the byte order; none for complex numbers, text, objects and the like.
std::optional<ElementType> element_type_of(PyArray_Descr* dtype);

/// NumPy's dtype, in native byte order; a borrowed reference that lives for ever. Throws a TypeError for
/// bfloat16 without the package ml_dtypes.
PyArray_Descr* dtype_of(ElementType type);

/// The element type of an argument `dtype`, which is anything that numpy.dtype takes. Throws TypeErrors.
ElementType element_type_of_argument(nb::handle dtype, const char* caller);

[[noreturn]] void refuse_dtype(nb::handle dtype, const char* caller);

/// A NumPy scalar.
nb::object numpy_scalar(const Scalar& value);

/// The type that stands for elements of both: NumPy's if one is floating-point, a 64-bit integer otherwise.
ElementType promoted(ElementType a, ElementType b);

}  // namespace foldline::python
