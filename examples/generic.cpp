// Reductions and scans with one's own type and operator: the result is the same for any number of threads.
#include <foldline/generic.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check(const char* what, bool holds) {
  std::printf("%-36s %s\n", what, holds ? "as expected" : "WRONG");
  if (!holds) ++failures;
}

void strings() {
  const std::vector<std::string> words = {"to", "get", "her"};
  const std::string all = foldline::generic::reduce(words, std::string(), std::plus<>());  // "together"
  check("strings joined in order", all == "together");
}

// Where the largest element is; of equal ones, the first.
struct Largest {
  double value;
  std::int64_t index;
};

Largest larger(const Largest& a, const Largest& b) { return a.value < b.value ? b : a; }

void argmax() {
  const std::vector<double> x = {2, 7, 1, 7, 3};
  const auto element = [&](std::int64_t i) { return Largest{x[static_cast<std::size_t>(i)], i}; };
  const Largest largest = foldline::generic::transform_reduce(5, Largest{x[0], 0}, larger, element);
  // largest.value is 7, largest.index 1
  check("argmax", largest.value == 7 && largest.index == 1);
}

// y -> factor * y + offset
struct Affine {
  double factor, offset;
};

// First a, then b.
Affine then(const Affine& a, const Affine& b) {
  return {b.factor * a.factor, b.factor * a.offset + b.offset};
}

void recurrence() {
  // y[i] = 0.5 * y[i - 1] + x[i] with y[-1] = 8, on several threads although each y needs the one before it.
  const std::vector<double> x = {0, 4, 2};
  std::vector<Affine> maps(x.size());
  const auto map = [&](std::int64_t i) { return Affine{0.5, x[static_cast<std::size_t>(i)]}; };
  foldline::generic::transform_inclusive_scan(maps, then, map);
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = maps[i].factor * 8 + maps[i].offset;  // 4, 6, 5
  check("a recurrence by a scan of its maps", y == std::vector<double>{4, 6, 5});
}

// Count, mean and sum of squared deviations, which merge (Chan, Golub, LeVeque 1983).
struct Moments {
  double count, mean, deviations;
};

Moments merge(const Moments& a, const Moments& b) {
  const double count = a.count + b.count, distance = b.mean - a.mean;
  if (count == 0) return a;
  return {count, a.mean + distance * b.count / count,
          a.deviations + b.deviations + distance * distance * a.count * b.count / count};
}

void threads() {
  const auto sine = [](std::int64_t i) { return Moments{1, std::sin(static_cast<double>(i)), 0}; };
  const auto moments = [&](int threads) {
    return foldline::generic::transform_reduce(100'000, Moments{0, 0, 0}, merge, sine, {.threads = threads});
  };
  const Moments one = moments(1), four = moments(4);
  check("rounding operators, any threads", one.mean == four.mean && one.deviations == four.deviations);
}

void offsets() {
  std::vector<std::int64_t> lengths = {3, 0, 5};
  foldline::generic::exclusive_scan(lengths, lengths, 0, std::plus<>());  // {0, 3, 3}: where each one begins
  check("offsets from lengths, in place", lengths == std::vector<std::int64_t>{0, 3, 3});
}

}  // namespace

int main() {
  strings();
  argmax();
  recurrence();
  threads();
  offsets();
  return failures == 0 ? 0 : 1;
}
