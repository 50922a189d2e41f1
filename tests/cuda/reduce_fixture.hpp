// What the tests of reductions on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "cases.hpp"
#include "device_memory.hpp"

namespace cuda_test {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using foldline::Device;
using foldline::VectorView;

const Context on_gpu{.device = Device::cuda()};

class CudaReduce : public testing::Test {
 protected:
  void SetUp() override {
    if (foldline::gpus().empty()) GTEST_SKIP() << foldline::why_no_gpu();
  }
  void TearDown() override { cases::run_on({}); }
};

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

inline std::vector<double> normal_deviates(std::int64_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& value : values)
    value = static_cast<float>(normal(random));  // a value of every type that is tested
  return values;
}

}  // namespace cuda_test
