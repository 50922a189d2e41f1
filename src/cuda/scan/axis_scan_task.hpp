// The parameters of scans along an axis.
//
// Long vectors are cut into parts, so that there is work for a whole device. If there is more than one, other
// launches add up all parts and find the sums before them first. Where neighbours in memory are neighbours in
// their vector, and that is not short, a team of warps scans a part (axis_scan_team.cuh); else a thread does,
// from its first element to its last (axis_scan_walk.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/scan_axis.hpp"
#include "cuda/scan/two_doubles.hpp"

namespace foldline::cuda {

/// The most axes across: those of an array of 16.
inline constexpr int max_scan_axes = 15;
/// The most parts of all vectors together, if vectors have several.
inline constexpr std::int64_t max_scan_parts = 16384;

/// The most warps of a team, and the elements that a warp of one takes at a time.
inline constexpr int max_team_warps = 4, team_tile = 256;

/// What sums begin with: as two doubles if they can hold it.
struct ScanStart {
  TwoDoubles sum;
  bool is_long;
  ScanState state;  // if it is long
  Uint128 integer;  // for integer results: see ScanState::integer()

  explicit ScanStart(const ScanState& before);
};

/// Sets `sum` to a long number; false if two doubles cannot hold that. `rest` is overwritten.
FOLDLINE_HOST_DEVICE inline bool is_two_doubles(const ScanState& state, TwoDoubles& sum, ScanState& rest) {
  constexpr FloatFormat format = format_of_double;
  sum = TwoDoubles();
  if (state.specials.any()) return false;
  if (state.only_negative_zeros) return true;
  sum.high = 0;
  rest = state;
  if (rest.prefix.is_zero()) return true;
  sum.high = rest.prefix.rounded(format);
  if (!foldline::is_finite(sum.high)) return false;
  rest.prefix.add(-sum.high);
  if (rest.prefix.is_zero()) return true;
  sum.rest = -rest.prefix.rounded(format);
  rest.prefix.add(sum.rest);
  return rest.prefix.is_zero();
}

/// The sum of a part, and then of all parts before it.
struct PartSums {
  unsigned long long status;  // of calls that wait
  Uint128 integer[max_scan_parts];
  TwoDoubles sum[max_scan_parts];
  bool is_long[max_scan_parts];
  ScanState state[max_scan_parts];
};

/// All strides are in bytes.
struct AxisScanTask {
  const std::byte* x;  // the first element of the first vector
  std::byte* out;
  std::int64_t stride, out_stride;  // between the elements of a vector
  std::int64_t length;              // of a vector
  std::int64_t part;                // of a part, but the last one
  std::int64_t vectors, parts;      // number of them; parts of each
  bool along;                       // neighbours in memory are neighbours in their vector
  int team_warps;                   // that scan a part together; 0: each thread has its own
  int axis_count;
  ResultAxis axes[max_scan_axes];
  ElementType type, out_type;
  int element_bytes, out_bytes;
  bool has_float_elements, has_sign, exclusive, checked;
  bool is_aligned;  // elements and results, each to their size
  FloatFormat format;
  Int128 lowest, highest;            // of the results, if they are checked integers
  Int128 safe_lowest, safe_highest;  // of a sum before which no result of the next tile fails to fit
  std::uint64_t mask;                // of the bits of an integer result
  PartSums* sums;                    // if parts > 1
  unsigned long long* status;        // maximum of ~place of results that do not fit; if checked
};

/// Plans a scan for a device of so many multiprocessors. Memory for sums and the status are left to the
/// caller.
AxisScanTask axis_scan_task(const ArrayScan& scan, int multiprocessors);

}  // namespace foldline::cuda
