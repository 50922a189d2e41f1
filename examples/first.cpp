// The first program: a sum that an ordinary loop gets wrong.
#include <foldline/foldline.hpp>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> x = {1e308, 1e308, -1e308, 0.1};
  const double sum = foldline::sum(x);                                       // 1e+308: no overflow on the way
  const double norm = foldline::vector_two_norm(x);                          // 1.7320508075688772e+308
  const float mean = foldline::mean<float>(std::vector<float>(1000, 0.1f));  // 0.1f: rounded once
  std::printf("%.17g %.17g %.9g\n", sum, norm, static_cast<double>(mean));
  return sum == 1e308 && norm == 1.7320508075688772e308 && mean == 0.1f ? 0 : 1;
}
