// What is to be scanned.
#pragma once

#include <cstdint>

#include "foldline/context.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// A valid scan: views checked, sizes equal, memory shared only if it is the same vector.
struct Scan {
  VectorView x;
  MutableVectorView out;
  bool exclusive = false;  // result i is the sum of the elements before i
  Overflow overflow = Overflow::error;
};

/// Returned by a scan in which every result fits.
inline constexpr std::int64_t no_result = INT64_MAX;

}  // namespace foldline
