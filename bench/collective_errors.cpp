// Errors of an element of an all-reduce of bfloat16, simulated for many ranks: a ring and a tree that round
// to bfloat16 at every hop, a ring in float32 that is rounded to bfloat16 at the end, and the exact sum,
// rounded once. In units in the last place of the exact sum as a bfloat16. Prints
// records/collective-errors.json.
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "foldline/foldline.hpp"

namespace {

using foldline::bfloat16;
using Terms = std::vector<bfloat16>;

float ring(const Terms& x) {
  bfloat16 sum = x[0];
  for (std::size_t i = 1; i < x.size(); ++i)
    sum = bfloat16(static_cast<float>(sum) + static_cast<float>(x[i]));
  return static_cast<float>(sum);
}

float tree(Terms x) {
  for (std::size_t n = x.size(); n > 1; n /= 2)
    for (std::size_t i = 0; i < n / 2; ++i)
      x[i] = bfloat16(static_cast<float>(x[2 * i]) + static_cast<float>(x[2 * i + 1]));
  return static_cast<float>(x[0]);
}

float ring_in_float32(const Terms& x) {
  float sum = 0;
  for (const bfloat16 term : x) sum += static_cast<float>(term);
  return static_cast<float>(bfloat16(sum));
}

float exact(const Terms& x) { return static_cast<float>(foldline::sum<bfloat16>(x)); }

struct Way {
  const char* name;
  std::function<float(const Terms&)> sum;
  double total = 0, largest = 0;
  int others = 0;  // results that are not the correctly rounded one
};

}  // namespace

int main() {
  constexpr int elements = 20000;
  std::printf("{\n \"command\": \"collective_errors (bench/collective_errors.cpp)\",\n \"elements\": %d",
              elements);
  for (const bool positive : {false, true})
    for (const int ranks : {8, 64, 1024}) {
      std::mt19937_64 random(20261127);
      std::normal_distribution<float> normal;
      std::uniform_real_distribution<float> uniform;
      std::vector<Way> ways = {{"ring in bfloat16", ring},
                               {"tree in bfloat16", tree},
                               {"ring in float32", ring_in_float32},
                               {"exact", exact}};
      for (int i = 0; i < elements; ++i) {
        Terms x;
        for (int rank = 0; rank < ranks; ++rank) x.emplace_back(positive ? uniform(random) : normal(random));
        const double sum = foldline::sum<double>(x);
        const double unit = std::ldexp(1.0, std::ilogb(sum) - 7);
        const float right = exact(x);
        for (Way& way : ways) {
          const float got = way.sum(x);
          const double error = std::abs(got - sum) / unit;
          way.total += error;
          way.largest = std::max(way.largest, error);
          way.others += got != right ? 1 : 0;
        }
      }
      for (const Way& way : ways) {
        const std::string name =
            std::string(positive ? "positive, " : "normal, ") + std::to_string(ranks) + " ranks, " + way.name;
        std::printf(",\n \"%s: mean, ulp\": %.3f, \"%s: largest, ulp\": %.2f, \"%s: others\": %.4f",
                    name.c_str(), way.total / elements, name.c_str(), way.largest, name.c_str(),
                    static_cast<double>(way.others) / elements);
      }
    }
  std::printf("\n}\n");
}
