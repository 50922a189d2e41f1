// What all tests on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "cases.hpp"
#include "device_memory.hpp"

namespace cuda_test {

const foldline::Context on_gpu{.execution = {.device = foldline::Device::cuda()}};

/// Skipped, with the reason, where there is no GPU; the next test's cases run on the CPU again.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (foldline::gpus().empty()) GTEST_SKIP() << foldline::why_no_gpu();
  }
  void TearDown() override { cases::run_on({}); }
};

inline std::vector<double> normal_deviates(std::int64_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& value : values) value = normal(random);
  return values;
}

}  // namespace cuda_test
