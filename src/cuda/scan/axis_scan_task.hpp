// The parameters of scans along an axis.
//
// Long vectors are cut into parts, so that there is work for a whole device. Threads scan a part each, from
// its first element to its last. If there is more than one, other launches add up all parts and find the
// sums before them first.
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

/// What sums begin with: as two doubles if they can hold it.
struct ScanStart {
  TwoDoubles sum;
  bool is_long;
  ScanState state;  // if it is long
  Uint128 integer;  // for integer results

  explicit ScanStart(const ScanState& before);
};

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
  int axis_count;
  ResultAxis axes[max_scan_axes];
  ElementType type, out_type;
  int element_bytes, out_bytes;
  bool has_float_elements, has_sign, exclusive, checked;
  FloatFormat format;
  Int128 lowest, highest;      // of the results, if they are checked integers
  std::uint64_t mask;          // of the bits of an integer result
  PartSums* sums;              // if parts > 1
  unsigned long long* status;  // maximum of ~place of results that do not fit; if checked
};

/// Plans a scan for a device of so many multiprocessors. Memory for sums and the status are left to the
/// caller.
AxisScanTask axis_scan_task(const ArrayScan& scan, int multiprocessors);

}  // namespace foldline::cuda
