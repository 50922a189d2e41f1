// Copies of the elements that a mask takes: the functions that are compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foldline/context.hpp"
#include "foldline/types.hpp"

namespace foldline::cpu {

/// Elements in a row; steps in bytes. Those of the mask are 0, 1 or any.
struct MaskedRow {
  const std::byte* x;
  const std::byte* mask;
  std::int64_t step, mask_step;
};

struct MaskedCopy {
  /// Copies `count` elements of `size` bytes, or `fill` in place of those that are not taken. Returns how
  /// many are.
  std::int64_t (*copy)(const MaskedRow& row, std::int64_t count, std::int64_t size, std::uint64_t fill,
                       std::byte* to);
  /// Adds 1 to the counts of those that are taken.
  void (*count)(const MaskedRow& row, std::int64_t count, std::int64_t* counts);
};

/// The ones for a target that available_targets() lists.
const MaskedCopy& masked_copy_for(Target target);

}  // namespace foldline::cpu
