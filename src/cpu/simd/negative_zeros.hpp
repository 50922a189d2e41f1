// Vectors of -0 only, whose sum is -0: limbs do not show the sign of a zero sum.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foldline/vector_view.hpp"

namespace foldline::cpu {

/// Whether elements first .. first + count of x are all -0. Nearly always the first one decides.
inline bool only_negative_zeros(const VectorView& x, std::int64_t first, std::int64_t count) {
  const auto size = static_cast<std::size_t>(size_of(x.type()));
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::byte* element = x.at(i);  // little-endian: the sign is in the last byte
    for (std::size_t b = 0; b + 1 < size; ++b)
      if (element[b] != std::byte{0}) return false;
    if (element[size - 1] != std::byte{0x80}) return false;
  }
  return true;
}

}  // namespace foldline::cpu
