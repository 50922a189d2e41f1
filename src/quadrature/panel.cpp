#include "quadrature/panel.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "quadrature/interpolation.hpp"
#include "quadrature/kronrod.hpp"

namespace foldline::quadrature {

Line::Line(double a, double b)
    : a_(a),
      b_(b),
      least_(std::nextafter(a, b)),
      greatest_(std::nextafter(b, a)),
      is_finite_(std::isfinite(a) && std::isfinite(b)) {}

double Line::x(double t) const {
  const double distance = is_finite_ ? 0 : (1 - t) / t;
  const double x = is_finite_ ? t : std::isinf(b_) ? a_ + distance : b_ - distance;
  return std::max(least_, std::min(x, greatest_));
}

double Line::rounding(double t) const {
  const auto deviation = [](double value) {  // a uniform error within half an ulp has 1 / sqrt(3) of it
    // NOLINTNEXTLINE(modernize-use-std-numbers): its last digit would change the tables
    return value == 0 ? 0x1p-1074 : std::ldexp(1 / std::sqrt(3.0), std::ilogb(value) - 53);
  };
  return is_finite_ ? deviation(t) : std::max(deviation(t), deviation(x(t)) / derivative(t));
}

namespace {

template <std::size_t N>
const Interpolation<N>& interpolation_of(const std::array<KronrodPoint, N>& rule) {
  static const Interpolation<N> all(rule);
  return all;
}

/// Nodes on an interval of 20 ulps or so are not where they are meant to be, and soon the same.
constexpr double narrow = 64;  // half its width, in standard deviations of rounding

/// Sums over a rule's points of g(t) = f(x(t)) |dx/dt|, in ordinary arithmetic: for estimates.
struct RuleSums {
  double kronrod = 0;
  double difference = 0;  // from the Gauss rule
  double moment = 0;      // the difference for u g(u), u from -1 to 1
  double magnitude = 0;   // of |g|
  double spread = 0;      // of |g - its mean|
};

template <std::size_t N>
RuleSums sums_of(const std::array<KronrodPoint, N>& rule, const double* g) {
  RuleSums sums;
  for (std::size_t i = 0; i < 2 * N - 1; ++i) {
    const KronrodPoint point = point_of(rule, i);
    const double excess = (point.weight - point.gauss_weight) * g[i];
    sums.kronrod += point.weight * g[i];
    sums.difference += excess;
    sums.moment += point.node * excess;
    sums.magnitude += point.weight * std::abs(g[i]);
  }
  const double mean = sums.kronrod / 2;
  for (std::size_t i = 0; i < 2 * N - 1; ++i) sums.spread += point_of(rule, i).weight * std::abs(g[i] - mean);
  return sums;
}

/// QUADPACK's estimate (Piessens et al. 1983, 2.2.4.1): the two rules' difference d, put into perspective:
/// the Kronrod rule is so much better that (200 d)^1.5, relative to the spread of f, has proved safe. The
/// difference is 0 for odd functions, such as 1/(x - c) + 1/(x + c), however large they are: hence that of
/// the moments.
double error_of(const RuleSums& sums) {
  const double difference = std::max(std::abs(sums.difference), std::abs(sums.moment) / 4);
  if (sums.spread == 0) return difference;
  return 4 * sums.spread * std::min(1.0, std::pow(200 * difference / sums.spread, 1.5));
}

}  // namespace

template <std::size_t N>
void Panel::sample(CountingIntegrand& f, const std::array<KronrodPoint, N>& rule) {
  const double half = (end_ - begin_) / 2, centre = middle();
  std::array<double, max_samples> x;
  size_ = 2 * N - 1;
  for (std::size_t i = 0; i < size_; ++i) {
    const KronrodPoint point = point_of(rule, i);
    const double t = centre + half * point.node;
    x[i] = line_->x(t);
    weights_[i] = point.weight * half * line_->derivative(t);
  }
  f(std::span(x).first(size_), samples_.data(), is_bad_.data());
  const std::span<const double> samples(samples_.data(), size_);
  is_constant_ = std::ranges::count(samples, samples[0]) == std::ssize(samples);
}

template <std::size_t N>
void Panel::judge(const std::array<KronrodPoint, N>& rule, const std::vector<Sample>& known) {
  const double half = (end_ - begin_) / 2;
  std::array<double, max_samples> g;
  for (std::size_t i = 0; i < size_; ++i)
    g[i] = samples_[i] * line_->derivative(middle() + half * point_of(rule, i).node);
  const RuleSums sums = sums_of(rule, g.data());
  magnitude_ = half * sums.magnitude;
  double squares = 0, steepest = 0, variation = 0;
  for (std::size_t i = 1; i < size_; ++i) {
    const double change = std::abs(g[i] - g[i - 1]);
    variation += change;
    steepest = std::max(steepest, change);
  }
  for (std::size_t i = 1; i < size_ && steepest > 0; ++i) {
    const double part = (g[i] - g[i - 1]) / steepest;
    squares += part * part;
  }
  const double shift = line_->rounding(middle());
  rounding_ = steepest * std::sqrt(squares) * shift;

  const double missing = unexplained(rule, g, shift, steepest, known);
  has_jump_ = missing > 0 || steepest > 0.9 * variation;
  const double error = half * error_of(sums) + missing;
  const std::int64_t bad = std::ranges::count(is_bad_, true);
  const double floor = rounding_floor * magnitude_;
  error_ = bad == 0 && std::isfinite(error) ? std::max(error, floor) : HUGE_VAL;
  // Samples that are all bad don't get better, and errors of rounding not smaller.
  const bool is_rounding = error <= floor + rounding_;
  is_divisible_ =
      half >= narrow * shift && bad < static_cast<std::int64_t>(size_) && (bad > 0 || !is_rounding);
}

template <std::size_t N>
double Panel::unexplained(const std::array<KronrodPoint, N>& rule, const std::array<double, max_samples>& g,
                          double shift, double steepest, const std::vector<Sample>& known) {
  if (known.empty()) return 0;
  const double half = (end_ - begin_) / 2;
  const Interpolation<N>& through = interpolation_of(rule);
  double largest = 0;
  for (std::size_t i = 0; i < size_; ++i) largest = std::max(largest, std::abs(g[i]));
  const bool is_narrow = half < narrow * shift;
  const double expected =
      16 * through.last_terms(g.data()) + 0x1p-44 * largest + 0x1p10 * steepest * (shift / half);
  double missing = 0;
  for (const Sample& sample : known) {
    const bool is_end = sample.t <= begin_ || sample.t >= end_;
    const double u = (sample.t - middle()) / half;
    const double difference = std::abs(sample.g - through.value(g.data(), u));
    if (std::isnan(sample.g) && (!is_end || is_narrow)) missing = HUGE_VAL;
    const bool is_explained = !(difference > expected);
    if (!is_explained) missing += difference * through.gap(u) * half;
    if (is_end || !is_explained || std::isnan(sample.g)) before_.push_back(sample);
  }
  return missing;
}

Panel::Panel(CountingIntegrand& f, const Line& line, double begin, double end, int depth,
             const std::vector<Sample>& known)
    : line_(&line), begin_(begin), end_(end), depth_(depth) {
  const auto apply = [&](const auto& rule) {
    sample(f, rule);
    judge(rule, known);
  };
  line.is_finite() ? apply(kronrod_21) : apply(kronrod_15);
}

std::vector<Sample> Panel::samples_in(double begin, double end) const {
  std::vector<Sample> found;
  found.reserve(before_.size() + size_ / 2 + 1);
  const auto note = [&](const Sample& sample) {
    if (begin <= sample.t && sample.t <= end) found.push_back(sample);
  };
  std::ranges::for_each(before_, note);
  for (std::size_t i = 0; i < size_; ++i) {
    const double node = line_->is_finite() ? point_of(kronrod_21, i).node : point_of(kronrod_15, i).node;
    const double t = middle() + (end_ - begin_) / 2 * node;
    note({t, is_bad_[i] ? std::nan("") : samples_[i] * line_->derivative(t)});
  }
  return found;
}

double Panel::place() const {
  const bool is_towards_last = line_->is_finite() || std::isinf(line_->first());  // whether x rises with t
  if (begin_ == line_->begin()) return is_towards_last ? line_->first() : line_->last();
  if (end_ == line_->end()) return is_towards_last ? line_->last() : line_->first();
  const auto [low, high] = std::minmax({line_->x(begin_), line_->x(end_)});
  if (low <= 0 && 0 <= high) return 0;
  for (int digits = 0; digits < 17; ++digits) {
    std::array<char, 40> text;
    const auto [end, error] = std::to_chars(text.begin(), text.end(), low + (high - low) / 2,
                                            std::chars_format::scientific, digits);
    double number = 0;
    std::from_chars(text.begin(), end, number);
    if (low <= number && number <= high) return number;
  }
  return low;
}

void Panel::add(Accumulator& total, const double* samples) const {
  const auto size = static_cast<std::int64_t>(size_);
  total.add(VectorView(samples, size), VectorView(weights_.data(), size), {.execution = {.threads = 1}});
}

void Panel::subtract_from(Accumulator& total) const {
  std::array<double, max_samples> negative;
  for (std::size_t i = 0; i < size_; ++i) negative[i] = -samples_[i];
  add(total, negative.data());
}

}  // namespace foldline::quadrature
