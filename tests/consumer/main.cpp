// What a user's program needs of an installed foldline: headers, version, a call that reaches the kernels and
// one that throws.
#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  const std::vector<double> x = {1e308, 1e308, -1e308};
  if (foldline::sum(x) != 1e308) return std::puts("the sum is wrong"), 1;
  const std::vector<float> tenths(1'000'000, 0.1f);
  if (foldline::sum(tenths, {.execution = {.threads = 2}}) != 100000.0f)
    return std::puts("the sum by two threads is wrong"), 1;
  try {
    foldline::ArrayReader::open_npy("no such file");
    return std::puts("a missing file was opened"), 1;
  } catch (const foldline::DataError& error) {
    std::printf("foldline %s; %s\n", foldline::version, error.what());
  }
  return std::strlen(foldline::version) > 0 ? 0 : 1;
}
