// Arrays of results: typed bytes, and how they are printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <foldline/foldline.hpp>

#include "options.hpp"

namespace foldline::cli {

/// An array of results in memory; its elements are ordered as in a .npy file.
struct ArrayOfResults {
  ElementType type = ElementType::float64;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  std::vector<std::byte> bytes = {};
};

/// Reads an element of the given type; the address need not be aligned.
Scalar load(const std::byte* from, ElementType type);
/// Writes a number as an element of its own type.
void store(const Scalar& value, std::byte* to);

/// A line for each run along the last axis, the numbers separated by blanks; a blank line after each matrix.
std::string as_text(const ArrayOfResults& array, NumberFormat format);
/// Nested lists; a single number for an array without axes.
nlohmann::ordered_json as_json(const ArrayOfResults& array);
/// A number as JSON, which has no infinities and no NaN: those are null.
nlohmann::ordered_json as_json(const Scalar& value);

}  // namespace foldline::cli
