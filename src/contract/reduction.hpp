// What is to be reduced, and where a queued reduction stores its result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/operation_table.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// A valid reduction: views checked, sizes and types equal.
struct Reduction {
  Needs needs;
  VectorView x;
  VectorView y;  // with two vectors: the second factors; as weights, `values` is their sum
  bool two_vectors = false;
};

/// Where a queued reduction stores its result.
struct DeviceResult {
  Operation operation;
  std::int64_t ddof;
  std::byte* out;  // device-accessible memory
  ElementType type;
};

}  // namespace foldline
