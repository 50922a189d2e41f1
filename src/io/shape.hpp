// Shapes: number of elements, and formatting.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "foldline/types.hpp"

namespace foldline::io {

/// The number of elements of a shape without negative lengths; nothing if the array would have 2^63 bytes or
/// more. The product of the other lengths must fit even if one is 0, as NumPy requires.
inline std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape, ElementType type) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t length : shape) {
    if (length == 0) {
      empty = true;
    } else if (length > std::numeric_limits<std::int64_t>::max() / size_of(type) / product) {
      return std::nullopt;
    } else {
      product *= length;
    }
  }
  return empty ? 0 : product;
}

/// As Python writes a tuple: "()", "(3,)", "(3, 4)".
inline std::string to_string(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace foldline::io
