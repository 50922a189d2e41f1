// What a scan on a device carries from tile to tile and from launch to launch: integers, which are added
// without rounding in any order.
#pragma once

#include <cstdint>

#include "arithmetic/limbs.hpp"
#include "contract/scan_state.hpp"

namespace foldline::cuda {

/// Rows of a sum of numbers: its limbs, whose carries may wait, and counts of the elements that are NaN,
/// +infinity, -infinity, and other than -0 (of these only whether there are any). Each row adds up by itself.
inline constexpr int limb_rows = SumLimbs::count;
inline constexpr int nan_row = limb_rows, positive_infinity_row = nan_row + 1,
                     negative_infinity_row = nan_row + 2, other_than_negative_zero_row = nan_row + 3;
inline constexpr int scan_rows = limb_rows + 4;

/// The sum of all elements before a launch, or after it.
struct ScanCarry {
  std::int64_t row[scan_rows];
  Uint128 integer;        // of scans with integer results: the sum modulo 2^128
  std::int64_t overflow;  // the first result that its type does not hold
  std::int64_t scanned;   // elements of the scan up to here, if pipelines might have stopped early
};

/// The carry before the first launch.
ScanCarry carry_of(const ScanState& state);
/// Adds what went by since `before` to the state; of integers if the results are.
void add_to_state(const ScanCarry& before, const ScanCarry& after, bool integers, ScanState& state);

}  // namespace foldline::cuda
