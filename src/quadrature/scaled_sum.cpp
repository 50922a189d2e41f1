#include "quadrature/scaled_sum.hpp"

#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace foldline::quadrature {

namespace {

constexpr Context one_thread = {.execution = {.threads = 1}};

void add_product(Accumulator& total, double x, double y) {
  total.add(std::span(&x, 1), std::span(&y, 1), one_thread);
}

/// The sum as doubles that add up to it exactly: each is the rounded remainder of those before. Mostly two or
/// three; one if it is not finite.
std::vector<double> parts_of(Accumulator sum) {
  std::vector<double> parts;
  for (;;) {
    const double part = sum.result();
    if (part == 0) return parts;
    parts.push_back(part);
    if (!std::isfinite(part)) return parts;
    if (sum.operation() == Operation::dot)
      add_product(sum, -part, 1);
    else
      sum.add(std::array{-part}, one_thread);
  }
}

}  // namespace

double scaled(const Accumulator& sum, double a, double b, std::int64_t divisor) {
  const std::vector<double> parts = parts_of(sum);
  if (!parts.empty() && !std::isfinite(parts.front())) return (b - a) * parts.front();
  // A weighted mean is a sum of products divided by a sum, rounded once: of products (b - a) * part, and of
  // weights that come to the divisor.
  Accumulator mean(Operation::weighted_mean);
  const auto add = [&](double value, double weight) {
    add_product(mean, value, weight);
    add_product(mean, 0, -weight);
  };
  for (const double part : parts) {
    add(part, b);
    add(part, -a);
  }
  add_product(mean, 0, static_cast<double>(divisor));
  return mean.result();
}

void subtract(Accumulator& total, const Accumulator& sum) {
  for (const double part : parts_of(sum)) add_product(total, -part, 1);
}

}  // namespace foldline::quadrature
