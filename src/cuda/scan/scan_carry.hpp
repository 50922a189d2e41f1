// What a scan carries from tile to tile and from launch to launch: integers, whose sums are exact in any
// order.
#pragma once

#include <cstdint>

#include "arithmetic/int128.hpp"
#include "arithmetic/limbs.hpp"

namespace foldline {
struct ScanState;
}

namespace foldline::cuda {

/// Rows of a sum of floating-point numbers: its limbs, not necessarily normalised, and counts of elements
/// that are NaN, +inf, -inf and other than -0 (of these only whether there are any). Rows add independently.
inline constexpr int limb_rows = SumLimbs::count;
inline constexpr int nan_row = limb_rows, positive_infinity_row = nan_row + 1,
                     negative_infinity_row = nan_row + 2, other_than_negative_zero_row = nan_row + 3;
inline constexpr int scan_rows = limb_rows + 4;

/// The sum of all elements before or after a launch.
struct ScanCarry {
  std::int64_t row[scan_rows];
  Uint128 integer;        // for integer results: the sum, see ScanState::integer()
  std::int64_t overflow;  // index of the first result that its type cannot hold
  std::int64_t scanned;   // elements scanned so far, if pipelines may have stopped early
};

/// The carry before the first launch.
ScanCarry carry_of(const ScanState& state);
/// Adds the change since `before` to the state; `integers` if results are integers.
void add_to_state(const ScanCarry& before, const ScanCarry& after, bool integers, ScanState& state);

}  // namespace foldline::cuda
