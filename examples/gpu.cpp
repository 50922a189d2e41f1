// A sum on the first GPU, if there is one: the same bits as on the CPU.
#include <foldline/foldline.hpp>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> x = {1e308, 1e308, -1e308};
  std::printf("on the CPU: %.17g\n", foldline::sum(x));
  if (foldline::gpus().empty()) {
    std::printf("on a GPU: not here, %s\n", foldline::why_no_gpu().c_str());
    return 0;
  }
  const foldline::Context gpu{.execution = {.device = foldline::Device::cuda(0)}};
  const double sum = foldline::sum(x, gpu);  // 1e+308, as on the CPU
  std::printf("on a GPU: %.17g\n", sum);
  return sum == foldline::sum(x) ? 0 : 1;
}
