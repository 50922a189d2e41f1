// What the tests of reductions on a GPU share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu_test.hpp"

namespace cuda_test {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using foldline::Device;
using foldline::VectorView;

class CudaReduce : public GpuTest {};

inline constexpr std::array operations = {Operation::sum,           Operation::abs_sum,  Operation::two_norm,
                                          Operation::mean,          Operation::variance, Operation::dot,
                                          Operation::weighted_mean, Operation::minimum,  Operation::maximum};

/// All results of the operations, as bits, with `context`.
inline std::vector<std::uint64_t> all_results(const VectorView& x, const VectorView& y,
                                              const Context& context) {
  std::vector<std::uint64_t> results;
  for (const Operation operation : operations) {
    if (x.size() == 0 && (operation == Operation::minimum || operation == Operation::maximum)) continue;
    results.push_back(cases::call(operation, x, y, ElementType::float64, 0, context));
  }
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
