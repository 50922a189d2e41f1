#include "quadrature/closer_look.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace foldline::quadrature {

std::vector<Sample> closer_look(CountingIntegrand& f, const Line& line) {
  const double begin = line.begin(), end = line.end(), width = end - begin;
  std::vector<double> t, x;
  for (int i = 1; i < 8; ++i) t.push_back(begin + i * (width / 8));
  for (double distance = width / 4; distance > 0x1p-50 * width; distance /= 4)
    for (const double place : {begin + distance, end - distance, -distance, distance})
      if (begin < place && place < end) t.push_back(place);
  for (const double place : t) x.push_back(line.x(place));
  std::vector<double> y(x.size());
  const auto is_bad = std::make_unique<bool[]>(x.size());
  f(x, y.data(), is_bad.get());
  std::vector<Sample> samples;
  samples.reserve(t.size());
  for (std::size_t i = 0; i < t.size(); ++i)
    samples.push_back({t[i], is_bad[i] ? std::nan("") : y[i] * line.derivative(t[i])});
  return samples;
}

}  // namespace foldline::quadrature
