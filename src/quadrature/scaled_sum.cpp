#include "quadrature/scaled_sum.hpp"

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace foldline::quadrature {

namespace {

constexpr Context one_thread = {.execution = {.threads = 1}};

void add_product(Accumulator& total, double x, double y) {
  total.add(std::span(&x, 1), std::span(&y, 1), one_thread);
}

/// A double, so many times.
struct Part {
  double value;
  std::int64_t times;
};

Accumulator times(Accumulator sum, std::int64_t n) {
  Accumulator total(sum.operation());
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) total.merge(sum);
    if (n > 1) sum.merge(sum);
  }
  return total;
}

/// What adds up to the sum exactly: each is the rounded remainder of those before, or of a sum of numbers
/// that is beyond a double their rounded mean. Mostly two or three; one if it is not finite.
std::vector<Part> parts_of(Accumulator sum) {
  std::vector<Part> parts;
  for (;;) {
    Part part{sum.result(), 1};
    if (part.value == 0) return parts;
    if (std::isinf(part.value) && sum.operation() == Operation::sum)
      part = {sum.result(Operation::mean), sum.count()};
    parts.push_back(part);
    if (!std::isfinite(part.value)) return parts;
    Accumulator less(sum.operation());
    if (sum.operation() == Operation::dot)
      add_product(less, -part.value, 1);
    else
      less.add(std::array{-part.value}, one_thread);
    sum.merge(times(std::move(less), part.times));
  }
}

}  // namespace

double scaled(const Accumulator& sum, double a, double b, std::int64_t divisor) {
  const std::vector<Part> parts = parts_of(sum);
  if (!parts.empty() && !std::isfinite(parts.front().value)) return (b - a) * parts.front().value;
  // A weighted mean is a sum of products divided by a sum, rounded once: of products (b - a) * part, and of
  // weights that come to the divisor.
  Accumulator mean(Operation::weighted_mean);
  for (const Part& part : parts) {
    Accumulator products(Operation::weighted_mean);
    for (const double end : {b, -a}) {
      add_product(products, part.value, end);
      add_product(products, 0, -end);
    }
    mean.merge(times(std::move(products), part.times));
  }
  add_product(mean, 0, static_cast<double>(divisor));
  return mean.result();
}

void subtract(Accumulator& total, const Accumulator& sum) {
  for (const Part& part : parts_of(sum)) {
    Accumulator products(Operation::dot);
    add_product(products, -part.value, 1);
    total.merge(times(std::move(products), part.times));
  }
}

}  // namespace foldline::quadrature
