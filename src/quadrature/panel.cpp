#include "quadrature/panel.hpp"

#include <cmath>

#include "quadrature/kronrod.hpp"

namespace foldline::quadrature {

Line::Line(double a, double b)
    : a_(a),
      b_(b),
      is_finite_(std::isfinite(a) && std::isfinite(b)),
      is_two_sided_(std::isinf(a) && std::isinf(b)),
      origin_(std::isinf(b) ? a : b),
      direction_(std::isinf(b) ? 1 : -1) {}

namespace {

/// Of `values` at the rule's points, those of negative nodes behind the others.
template <std::size_t N>
RuleSums sums_of(const std::array<KronrodPoint, N>& rule, const double* values) {
  RuleSums sums;
  const auto for_all = [&](auto take) {
    for (std::size_t i = 0; i < 2 * N - 1; ++i) take(rule[i < N ? i : i - N + 1], values[i]);
  };
  for_all([&](const KronrodPoint& point, double g) {
    sums.kronrod += point.weight * g;
    sums.gauss += point.gauss_weight * g;
    sums.magnitude += point.weight * std::abs(g);
  });
  const double mean = sums.kronrod / 2;
  for_all([&](const KronrodPoint& point, double g) { sums.spread += point.weight * std::abs(g - mean); });
  return sums;
}

/// QUADPACK's estimate: the two rules' difference d, put into perspective: the Kronrod rule is so much better
/// that (200 d)^1.5, relative to the spread of f, has proved safe.
double error_of(const RuleSums& sums) {
  const double difference = std::abs(sums.kronrod - sums.gauss);
  if (sums.spread == 0) return difference;
  return sums.spread * std::min(1.0, std::pow(200 * difference / sums.spread, 1.5));
}

}  // namespace

template <std::size_t N>
void Panel::sample(CountingIntegrand& f, const Line& line, const std::array<KronrodPoint, N>& rule) {
  constexpr std::size_t points = 2 * N - 1;
  const double half = (end_ - begin_) / 2, centre = middle();
  std::array<double, points> t, values = {};
  std::array<double, max_samples> x;
  for (std::size_t i = 0; i < points; ++i)
    t[i] = i < N ? centre + half * rule[i].node : centre - half * rule[i - N + 1].node;
  size_ = line.copies() * static_cast<std::int64_t>(points);
  for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i)
    x[i] = line.x(t[i % points], static_cast<std::int64_t>(i / points));
  std::array<bool, max_samples> is_bad = {};
  f(std::span(x).first(static_cast<std::size_t>(size_)), samples_.data(), is_bad.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) {
    const std::size_t point = i % points;
    const double derivative = line.derivative(t[point]);
    weights_[i] = rule[point < N ? point : point - N + 1].weight * half * derivative;
    values[point] += samples_[i] * derivative;
  }

  judge(sums_of(rule, values.data()), std::ranges::count(is_bad, true));
}

void Panel::judge(const RuleSums& sums, std::int64_t bad) {
  const double half = (end_ - begin_) / 2;
  const double floor = rounding_floor * sums.magnitude;
  const double error = error_of(sums);
  error_ = bad == 0 && std::isfinite(error) ? half * std::max(error, floor) : HUGE_VAL;
  // Samples that are all bad don't get better, and errors of rounding not smaller.
  is_divisible_ = begin_ < middle() && middle() < end_ && bad < size_ && (bad > 0 || !(error <= floor));
}

Panel::Panel(CountingIntegrand& f, const Line& line, double begin, double end, int depth)
    : begin_(begin), end_(end), depth_(depth) {
  if (line.is_finite())
    sample(f, line, kronrod_21);
  else
    sample(f, line, kronrod_15);
}

void Panel::add(Accumulator& total, const double* samples) const {
  total.add(VectorView(samples, size_), VectorView(weights_.data(), size_), {.threads = 1});
}

void Panel::subtract_from(Accumulator& total) const {
  std::array<double, max_samples> negative;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) negative[i] = -samples_[i];
  add(total, negative.data());
}

}  // namespace foldline::quadrature
