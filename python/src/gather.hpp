// Copies of elements that lie in memory in any way, a block at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foldline/types.hpp"

namespace foldline::python {

/// Elements at equal distances, in bytes.
struct Run {
  const std::byte* data;
  ElementType type;
  bool is_swapped;
  std::int64_t stride;
};

/// Copies elements [0, count) to `out`, in native byte order.
void gather(const Run& run, std::int64_t count, std::byte* out);

/// The bits of infinity, the largest magnitude that is no NaN, in a floating-point type.
std::uint64_t infinity_of(ElementType type);

/// Which elements of a run count.
struct Chosen {
  const std::byte* mask;  // null for all
  std::int64_t mask_stride;
  bool without_nan;
};

/// Copies those of elements [0, count) that count; how many they are. `out` has room for all.
std::int64_t gather(const Run& run, std::int64_t count, const Chosen& chosen, std::byte* out);

/// Says of each of elements [0, count), in native byte order, whether it counts, as a bool.
void mark(const Run& run, std::int64_t count, const Chosen& chosen, std::byte* marks);

}  // namespace foldline::python
