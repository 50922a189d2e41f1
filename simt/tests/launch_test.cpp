// Kernels run, with right results for any size.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "sums.hpp"

namespace {

/// The sum of -3, 4, 11, ... on the device, and on the host.
void expect_sum(Way way, std::int64_t n, int block) {
  std::vector<int> host(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(7 * i % 1000) - 3;
  int* x = nullptr;
  long long* total = nullptr;
  ASSERT_EQ(cudaMalloc(&x, host.size() * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&total, sizeof *total), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemset(total, 0, sizeof *total), cudaSuccess);
  run_sum(way, x, n, block, total);
  long long result = 0;
  ASSERT_EQ(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(result, std::accumulate(host.begin(), host.end(), 0LL)) << n << " elements, blocks of " << block;
  cudaFree(x);
  cudaFree(total);
}

class Sums : public testing::TestWithParam<Way> {};

TEST_P(Sums, OfAnySizeAreRight) {
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 513, 4097, 100003})
    for (const int block : {32, 64, 512, 1024}) expect_sum(GetParam(), n, block);
}

INSTANTIATE_TEST_SUITE_P(All, Sums, testing::Values(Way::shared, Way::shuffles, Way::warp_barriers));

TEST(Launch, RunsMoreThan65536Blocks) {
  unsigned* count = nullptr;
  ASSERT_EQ(cudaMalloc(&count, sizeof *count), cudaSuccess);
  ASSERT_EQ(cudaMemset(count, 0, sizeof *count), cudaSuccess);
  run_count_blocks(70001, count);
  unsigned result = 0;
  ASSERT_EQ(cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(result, 70001u);
  cudaFree(count);
}

}  // namespace
