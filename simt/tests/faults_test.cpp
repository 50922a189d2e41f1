// Every fault is found and its line named, and nothing is said of right kernels, in any order of blocks.
#include "faults.hpp"

#include <gtest/gtest.h>
#include <simt/simt.hpp>

namespace {

struct Kernel : FaultyKernel {
  const char* file;
};

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const FaultyKernel& kernel : faults_in_a_block()) all.push_back({kernel, "/faults.cu"});
  for (const FaultyKernel& kernel : faults_between_blocks())
    all.push_back({kernel, "/faults_between_blocks.cu"});
  return all;
}

class Faults : public testing::TestWithParam<Kernel> {
 protected:
  void TearDown() override { simt::options() = {}; }
};

TEST_P(Faults, IsFoundAtItsLine) {
  const Kernel& kernel = GetParam();
  try {
    kernel.run();
    EXPECT_STREQ(kernel.kind, "") << "nothing was found";
  } catch (const simt::Error& error) {
    EXPECT_STREQ(simt::name_of(error.kind), kernel.kind) << error.what();
    if (kernel.line != 0) {
      EXPECT_EQ(error.line, kernel.line) << error.what();
      EXPECT_TRUE(error.file.ends_with(kernel.file)) << error.what();
    }
    if (*kernel.array != '\0') {
      EXPECT_EQ(error.array, kernel.array) << error.what();
    }
  }
}

TEST_P(Faults, IsFoundInAnyOrder) {
  const Kernel& kernel = GetParam();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    simt::options().order = seed == 0 ? simt::Order::reversed : simt::Order::hostile;
    simt::options().seed = seed;
    try {
      kernel.run();
      EXPECT_STREQ(kernel.kind, "") << "nothing was found with seed " << seed;
    } catch (const simt::Error& error) {
      EXPECT_STREQ(simt::name_of(error.kind), kernel.kind) << error.what() << ", seed " << seed;
    }
  }
}

std::string test_name(const testing::TestParamInfo<Kernel>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, Faults, testing::ValuesIn(all_kernels()), test_name);

}  // namespace
