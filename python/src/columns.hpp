// Columns of pandas, Polars and Arrow.
#pragma once

#include <optional>

#include "numpy_api.hpp"

namespace foldline::python {

/// The values of a column as a NumPy array, which shares its memory where the library lets it.
struct Column {
  nb::object values;   // 0 where one is missing
  nb::object present;  // a mask of bool; null if none is missing
};

/// None for what is no column, nor a table. Throws a TypeError for a table of several types, whose library
/// would convert them to one and round. NaN of columns that are NumPy's own is a value.
std::optional<Column> column_from(nb::handle x, const char* caller);

/// Throws the ValueError of functions to which a missing value means nothing.
[[noreturn]] void refuse_missing(const char* caller);

}  // namespace foldline::python
