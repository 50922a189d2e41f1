// What the tests of reductions on a GPU share.
#pragma once

#include <cstdint>
#include <vector>

#include "reductions.hpp"

namespace cuda_test {

using foldline::Device;

class CudaReduce : public GpuTest {};

/// Every operation's result and the statistics, as bits, with `context`.
inline std::vector<std::uint64_t> all_results(const VectorView& x, const VectorView& y,
                                              const Context& context) {
  std::vector<std::uint64_t> results = results_of_operations(x, y, 0, context);
  const auto statistics = cases::call_statistics(x, ElementType::float64, 1, context);
  results.insert(results.end(), statistics.begin(), statistics.end());
  return results;
}

/// Normal deviates that are floats.
inline std::vector<double> normal_floats(std::int64_t size, unsigned seed) {
  std::vector<double> values = normal_deviates(size, seed);
  for (double& value : values) value = static_cast<float>(value);
  return values;
}

}  // namespace cuda_test
