// Scans of many short vectors at once: what the operation and the CPU agree on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foldline/context.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// Inclusive scans of `vectors` vectors of `terms` elements, at least one each. Distances in elements of each
/// array: `along` a vector, and `across` from one to the next.
struct ShortScans {
  const std::byte* x;
  ElementType type;
  std::byte* out;
  ElementType out_type;
  std::int64_t terms, vectors;
  std::int64_t x_along, x_across, out_along, out_across;

  /// Longer vectors are scanned one by one: beside each other their elements would leave the caches.
  static constexpr std::int64_t most_terms = 4096;
  /// Vectors of which the elements are neighbours have a faster way from here on, but for those of 16 bits.
  static constexpr std::int64_t most_contiguous_terms = 128;

  bool are_taken() const {
    const bool takes_many = (x_across == 1 && out_across == 1) || (is_floating(type) && size_of(type) == 2);
    const bool is_short = terms <= (takes_many ? most_terms : most_contiguous_terms);
    if (!is_short || type == ElementType::boolean) return false;
    if (is_floating(type)) return out_type == type;
    const bool is_unsigned = name_of(type).starts_with('u');
    return out_type == (is_unsigned ? ElementType::uint64 : ElementType::int64);
  }
};

namespace cpu {
/// Writes the results of most vectors, and sets `uncertain` of the others to 1: they are as they were.
/// Returns how many these are.
std::int64_t scan_short_vectors(const ShortScans& scans, Target target, std::uint8_t* uncertain);
}  // namespace cpu

}  // namespace foldline
