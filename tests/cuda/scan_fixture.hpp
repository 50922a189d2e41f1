// What the tests of scans on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include "device_memory.hpp"
#include "scan_cases.hpp"

namespace cuda_test {

const foldline::Context on_gpu{.device = foldline::Device::cuda()};

class CudaScan : public testing::Test {
 protected:
  void SetUp() override {
    if (foldline::gpus().empty()) GTEST_SKIP() << foldline::why_no_gpu();
  }
  void TearDown() override { cases::run_on({}); }
};

}  // namespace cuda_test
