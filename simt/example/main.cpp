// A sum by a kernel that runs without a GPU: its result, what it did, and what is wrong when it reads too
// far.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <numeric>
#include <simt/simt.hpp>
#include <vector>

#include "sums.hpp"

namespace {

int failures = 0;

void expect(bool what, const char* text) {
  std::printf("%s: %s\n", text, what ? "yes" : "no");
  if (!what) ++failures;
}

}  // namespace

int main() {
  std::vector<int> host(1000);
  std::iota(host.begin(), host.end(), 0);
  const int n = static_cast<int>(host.size());
  int *x = nullptr, *result = nullptr, found = 0;
  cudaMalloc(reinterpret_cast<void**>(&x), host.size() * sizeof(int));
  cudaMalloc(reinterpret_cast<void**>(&result), sizeof(int));
  cudaMemcpy(x, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(result, 0, sizeof(int));

  sum(x, n, result);
  cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
  expect(found == 499500, "the sum of 0 ... 999 is 499500");

  const simt::Counts counts = simt::total_counts();
  expect(counts.blocks == 8 && counts.warps == 32, "8 blocks of 4 warps");
  expect(counts.global_loads.parts == 125, "1000 ints are read in 125 sectors");
  std::printf("about %.0f instructions a warp\n",
              static_cast<double>(counts.instructions) / static_cast<double>(counts.warps));

  try {
    sum(x, n + 1, result);
    expect(false, "an element too many is found");
  } catch (const simt::Error& error) {
    std::printf("%s\n", error.what());
    expect(error.kind == simt::ErrorKind::out_of_bounds && error.array == "x",
           "an element too many is found");
  }
  cudaFree(x);
  cudaFree(result);
  return failures;
}
