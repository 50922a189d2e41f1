// An interval with the samples of a Gauss-Kronrod rule on it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "foldline/accumulator.hpp"
#include "quadrature/adaptive.hpp"

namespace foldline::quadrature {

/// An interval of x as that of a variable t: t itself if it is finite; otherwise (0, 1), on which
/// x = a + (1 - t) / t or x = b - (1 - t) / t.
class Line {
 public:
  /// One of the ends may be infinite.
  Line(double a, double b);

  double begin() const { return is_finite_ ? a_ : 0; }
  double end() const { return is_finite_ ? b_ : 1; }
  bool is_finite() const { return is_finite_; }
  double first() const { return a_; }
  double last() const { return b_; }
  /// Never an end of the interval, even where t is rounded to one.
  double x(double t) const;
  /// |dx/dt|
  double derivative(double t) const { return is_finite_ ? 1 : 1 / (t * t); }
  /// The standard deviation of t by the rounding of t and of x.
  double rounding(double t) const;

 private:
  double a_, b_;
  double least_, greatest_;  // extreme numbers inside the interval
  bool is_finite_;
};

/// A sample, as one of g(t) = f(x(t)) |dx/dt|; NaN if it was not finite.
struct Sample {
  double t, g;
};

struct KronrodPoint;

class Panel {
 public:
  /// `known`: samples taken earlier between begin and end.
  Panel(CountingIntegrand& f, const Line& line, double begin, double end, int depth,
        const std::vector<Sample>& known);

  const Line& line() const { return *line_; }
  double begin() const { return begin_; }
  double end() const { return end_; }
  double middle() const { return begin_ + (end_ - begin_) / 2; }
  /// A number x of few digits in it, or the end of the line that it touches.
  double place() const;
  /// The number of bisections that led to it.
  int depth() const { return depth_; }
  /// Estimated error; infinite if a sample is not finite.
  double error() const { return error_; }
  /// The integral of |f|.
  double magnitude() const { return magnitude_; }
  /// The expected error by rounding of nodes: the standard deviation.
  double rounding() const { return rounding_; }
  /// Whether bisection can make the error smaller.
  bool is_divisible() const { return is_divisible_; }
  /// Whether all samples of f are the same.
  bool is_constant() const { return is_constant_; }

  /// Whether its error is infinite though all samples are finite.
  bool is_overflow() const { return std::isinf(error_) && std::ranges::count(is_bad_, true) == 0; }
  /// Whether nearly all of the change of f is between two samples.
  bool has_jump() const { return has_jump_; }

  /// The samples from `begin` to `end` that a part of it must agree with: those of the rule, and earlier ones
  /// that the rule does not explain.
  std::vector<Sample> samples_in(double begin, double end) const;

  /// Adds its integral: samples times rounded weights, exactly.
  void add_to(Accumulator& total) const { add(total, samples_.data()); }
  void subtract_from(Accumulator& total) const;

 private:
  static constexpr std::size_t max_samples = 21;

  void add(Accumulator& total, const double* samples) const;
  template <std::size_t N>
  void sample(CountingIntegrand& f, const std::array<KronrodPoint, N>& rule);
  template <std::size_t N>
  void judge(const std::array<KronrodPoint, N>& rule, const std::vector<Sample>& known);
  /// The error indicated by earlier samples. `shift` is the rounding of nodes, `steepest` the largest
  /// difference of neighbours.
  template <std::size_t N>
  double unexplained(const std::array<KronrodPoint, N>& rule, const std::array<double, max_samples>& g,
                     double shift, double steepest, const std::vector<Sample>& known);

  const Line* line_;
  double begin_, end_, error_ = 0, magnitude_ = 0, rounding_ = 0;
  int depth_;
  bool is_divisible_ = true, is_constant_ = true, has_jump_ = false;
  std::size_t size_ = 0;
  std::array<bool, max_samples> is_bad_ = {};          // not finite
  std::array<double, max_samples> samples_, weights_;  // from begin to end
  std::vector<Sample> before_;                         // earlier samples that the rule does not explain
};

}  // namespace foldline::quadrature
