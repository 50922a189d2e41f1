// The operations that the tests of reductions call, and their results.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu_test.hpp"

namespace cuda_test {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using foldline::VectorView;

/// There is no extremum of nothing.
inline bool has_result(Operation operation, const VectorView& x) {
  return x.size() > 0 || !oracle::needs_elements(operation);
}

/// The results that there are, as bits.
inline std::vector<std::uint64_t> results_of_operations(const VectorView& x, const VectorView& y,
                                                        std::int64_t ddof, const Context& context = {}) {
  std::vector<std::uint64_t> results;
  for (const Operation operation : oracle::all_operations)
    if (has_result(operation, x))
      results.push_back(cases::call(operation, x, y, ElementType::float64, ddof, context));
  return results;
}

}  // namespace cuda_test
