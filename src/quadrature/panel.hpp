// An interval with the samples of a Gauss-Kronrod rule on it.
#pragma once

#include <array>
#include <cstdint>

#include "foldline/accumulator.hpp"
#include "quadrature/adaptive.hpp"

namespace foldline::quadrature {

/// The interval of integration, as that of a variable t: t itself if it is finite; otherwise (0, 1), on which
/// x = a + (1 - t) / t, x = b - (1 - t) / t, or both with a = b = 0.
class Line {
 public:
  Line(double a, double b);

  double begin() const { return is_finite_ ? a_ : 0; }
  double end() const { return is_finite_ ? b_ : 1; }
  bool is_finite() const { return is_finite_; }
  /// Values of x for one t: 1 or 2.
  std::int64_t copies() const { return is_two_sided_ ? 2 : 1; }
  /// The value of x number `copy`.
  double x(double t, std::int64_t copy) const {
    if (is_finite_) return t;
    const double distance = (1 - t) / t;
    return is_two_sided_ ? (copy == 0 ? distance : -distance) : origin_ + direction_ * distance;
  }
  /// |dx/dt|
  double derivative(double t) const { return is_finite_ ? 1 : 1 / (t * t); }

 private:
  double a_, b_;
  bool is_finite_, is_two_sided_;
  double origin_, direction_;
};

struct KronrodPoint;

/// Sums over a rule's points of g(t) = f(x(t)) dx/dt, in ordinary arithmetic: for estimates.
struct RuleSums {
  double kronrod = 0, gauss = 0;
  double magnitude = 0;  // of |g|
  double spread = 0;     // of |g - its mean|
};

class Panel {
 public:
  Panel(CountingIntegrand& f, const Line& line, double begin, double end, int depth);

  double begin() const { return begin_; }
  double end() const { return end_; }
  double middle() const { return begin_ + (end_ - begin_) / 2; }
  /// How many bisections have led to it.
  int depth() const { return depth_; }
  /// An estimate of its error; infinite if a sample is not finite.
  double error() const { return error_; }
  /// Whether bisection can make the error smaller.
  bool is_divisible() const { return is_divisible_; }

  /// Adds its integral: samples times rounded weights, exactly.
  void add_to(Accumulator& total) const { add(total, samples_.data()); }
  void subtract_from(Accumulator& total) const;

 private:
  static constexpr std::size_t max_samples = 30;  // 15 points, on two sides

  void add(Accumulator& total, const double* samples) const;
  template <std::size_t N>
  void sample(CountingIntegrand& f, const Line& line, const std::array<KronrodPoint, N>& rule);
  /// Sets the error; `bad` samples were not finite.
  void judge(const RuleSums& sums, std::int64_t bad);

  double begin_, end_, error_ = 0;
  int depth_;
  bool is_divisible_ = true;
  std::int64_t size_ = 0;
  std::array<double, max_samples> samples_, weights_;
};

}  // namespace foldline::quadrature
