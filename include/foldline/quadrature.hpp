/// @file
/// Numerical integration. Sums of samples are exact, so that rounding is left in the nodes, in weights that
/// are no integers, in the integrand itself, and once at the end: results do not drift as n grows, and have
/// the same bits for any number of threads.
///
///     const auto f = [](double x) { return 4 / (1 + x * x); };
///     foldline::integrate(f, 0, 1, foldline::Rule::simpson(), 1000).value       // 1000 intervals
///     foldline::integrate_to(f, 0, infinity, 1e-12).value                       // to a tolerance
///     foldline::trapezoid(y, dx)                                                // of samples in an array
///
/// The integrand is called as f(x) with a double, or as f(x, y) with spans, to set y[i] for each x[i]: that
/// is for code that works on many values at a time. `integrate` calls it from several threads at the same
/// time, unless Context::threads is 1. If f throws, the call throws the same.
///
/// Samples that are NaN or infinite are counted, never hidden: a rule's result is then NaN or infinite, too.
///
/// The work is done on the CPU; a context with another device is an InvalidArgument. A function that runs on
/// a GPU is integrated there by cuda/quadrature.cuh.
#pragma once

#include <cstdint>
#include <vector>

#include "foldline/context.hpp"
#include "foldline/detail/integrand.hpp"
#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// A composite rule: what is done on each of n subintervals of equal width.
class Rule {
 public:
  /// Which rule it is.
  enum class Kind : std::uint8_t { midpoint, trapezoid, simpson, gauss_legendre };

  /// Central rectangles: n samples; the error falls as 1/n^2.
  [[nodiscard]] static constexpr Rule midpoint() { return {Kind::midpoint, 1}; }
  /// n + 1 samples; the error falls as 1/n^2, and faster than any power for a smooth periodic f.
  [[nodiscard]] static constexpr Rule trapezoid() { return {Kind::trapezoid, 2}; }
  /// n + 1 samples, n even: parabolas over pairs of intervals; the error falls as 1/n^4.
  [[nodiscard]] static constexpr Rule simpson() { return {Kind::simpson, 3}; }
  /// `points` samples in each of the n intervals; the error falls as 1/n^(2 points). 1 to 10000 points.
  [[nodiscard]] static constexpr Rule gauss_legendre(int points) { return {Kind::gauss_legendre, points}; }

  /// Which rule it is.
  [[nodiscard]] constexpr Kind kind() const { return kind_; }
  /// Samples in an interval (simpson: in a pair of them), both ends counted.
  [[nodiscard]] constexpr int points() const { return points_; }

 private:
  constexpr Rule(Kind kind, int points) : kind_(kind), points_(points) {}
  Kind kind_;
  int points_;
};

/// What a rule gives.
struct Integral {
  double value;              ///< the rule's sum
  std::int64_t evaluations;  ///< calls of f
  std::int64_t non_finite;   ///< how many of them gave NaN or an infinity
};

/// How close `integrate_to` shall come: the error is to be at most `absolute` or `relative` * |integral|,
/// whichever is larger. One number stands for both.
struct Tolerance {
  double absolute;  ///< of the error itself
  double relative;  ///< of the error as a part of the integral
  /// The same number for both.
  constexpr Tolerance(double both)  // NOLINT(google-explicit-constructor): a number is a tolerance
      : Tolerance(both, both) {}
  /// Either may be 0, but not both.
  constexpr Tolerance(double absolute_error, double relative_error)
      : absolute(absolute_error), relative(relative_error) {}
};

/// How `integrate_to` goes about it.
enum class IntegrationMethod : std::uint8_t {
  gauss_kronrod,  ///< bisection where the error is largest, with extrapolation over singularities
  tanh_sinh       ///< double exponential: for singularities at the ends, at any rate, and smooth between
};

/// Limits of `integrate_to`.
struct IntegrationOptions {
  IntegrationMethod method = IntegrationMethod::gauss_kronrod;  ///< how nodes are chosen
  std::int64_t max_evaluations = 200'000;                       ///< where it gives up
};

/// How `integrate_to` ended.
enum class IntegrationStatus : std::uint8_t {
  converged,        ///< the error is within the tolerance
  max_evaluations,  ///< the evaluations that were allowed were not enough
  round_off,        ///< rounding, or the distance of doubles at a singularity, leaves more than the tolerance
  may_diverge,  ///< the integral of |f| grows, or settles too slowly to say, the nearer it comes to `where`
  not_finite    ///< f is NaN or infinite between the ends
};

/// What `integrate_to` gives.
struct IntegralEstimate {
  double value;  ///< the best value found
  double error;  ///< an estimate of |value - integral|, mostly far too large; infinite if there is none
  std::int64_t evaluations;  ///< calls of f
  std::int64_t non_finite;   ///< how many of them gave NaN or an infinity
  bool converged;            ///< whether `error` is within the tolerance
  IntegrationStatus status;  ///< why not, if it is not
  double where;              ///< about where most of the error is; NaN if it converged
};

/// Nodes and weights on [-1, 1], in increasing order.
struct QuadratureNodes {
  std::vector<double> nodes;    ///< where f is sampled
  std::vector<double> weights;  ///< of the samples; they add up to 2
};

/// The nodes and weights of the Gauss-Legendre rule, each within 0.50001 ulp.
/// Takes O(points^2) time: 1 ms for 100 points, 0.1 s for 1000. Throws InvalidArgument unless 1 <= points <=
/// 10000.
[[nodiscard]] FOLDLINE_API QuadratureNodes gauss_legendre_nodes(int points);

namespace detail {
[[nodiscard]] FOLDLINE_API Integral apply_rule(const Integrand& f, double a, double b, Rule rule,
                                               std::int64_t n, const Context& context);
[[nodiscard]] FOLDLINE_API IntegralEstimate integrate_adaptively(const Integrand& f, double a, double b,
                                                                 Tolerance tolerance,
                                                                 const IntegrationOptions& options);
}  // namespace detail

/// The integral of f from a to b by a composite rule with n intervals.
///
/// Nodes are x_i = fma(i, h, a) (midpoint: i + 1/2) with h = (b - a) / n rounded; Gauss-Legendre: fma(u, h,
/// x_i) with u its node between 0 and 1. The sum of samples times integers (Gauss-Legendre: times rounded
/// weights) is exact, and so is its product with b - a; the division by n and 1, 2 or 3 is the one rounding.
/// (A sum of samples that no double can hold makes the result infinite.)
///
/// b may be less than a. Throws InvalidArgument if a, b or b - a is not finite, if n is less than 1, odd for
/// Simpson's rule, or n * points is more than 2^50, before f is called.
template <IntegrandFunction F>  // by value: the name of a function becomes a pointer
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Integral integrate(F f, double a, double b, Rule rule, std::int64_t n, const Context& context = {}) {
  return detail::apply_rule(detail::integrand_of(f), a, b, rule, n, context);
}

/// The integral of f from a to b, either of which may be infinite, to a tolerance. f is never called at a or
/// b. Runs in the calling thread.
///
/// What cannot be reached is no exception: `converged` tells, `status` says why, `where` about where, and
/// `value` is the best there is. An integral that diverges does not converge to a principal value or a finite
/// part: what each level of bisection adds to the integral of |f| has to fall. Nor does a value converge
/// whose error is as large as the integral of |f|; and samples are not forgotten: if one does not agree with
/// those that are taken around it later, a peak there counts as error until it is resolved. What no sample
/// sees cannot be known.
///
/// Samples that are not finite count as 0. An interval with one is bisected until it is at an end, as one at
/// a singularity in the middle mostly is, or until the interval cannot be divided: then all of it counts as
/// error.
///
/// gauss_kronrod: 21 points an interval, 15 if a or b is infinite and x = a + (1 - t) / t (to both sides of 0
/// if both are); Wynn's epsilon algorithm over the levels of bisection (Piessens et al., QUADPACK, 1983; de
/// Doncker 1978). Sums over all intervals are exact. tanh_sinh: x = tanh(pi/2 sinh t), exp(...) or sinh(...)
/// (Takahasi and Mori 1974). A singularity at a finite end other than 0 is seen through the spacing of
/// doubles there: better to shift it to 0.
///
/// Throws InvalidArgument if a or b is NaN, b - a overflows, a tolerance is negative or NaN, or both are 0.
template <IntegrandFunction F>  // by value: the name of a function becomes a pointer
// NOLINTNEXTLINE(performance-unnecessary-value-param)
IntegralEstimate integrate_to(F f, double a, double b, Tolerance tolerance,
                              const IntegrationOptions& options = {}) {
  return detail::integrate_adaptively(detail::integrand_of(f), a, b, tolerance, options);
}

/// The integral of samples y at equal distances dx, by trapezoids: correctly rounded. 0 for less than two
/// samples. Samples are of any type, integers too, each the number that it is. Throws InvalidArgument for a
/// malformed view or a dx that is not finite.
[[nodiscard]] FOLDLINE_API double trapezoid(const VectorView& y, double dx, const Context& context = {});

/// The same of samples at x_0, x_1, ..., in any order: correctly rounded, as the samples are, whatever the
/// distances (sum of (x_(i+1) - x_i) (y_i + y_(i+1)) / 2). A trapezoid with an end that is not finite is what
/// IEEE 754 has for its difference, sum and product. Their types may differ. Throws InvalidArgument if the
/// sizes do.
[[nodiscard]] FOLDLINE_API double trapezoid(const VectorView& y, const VectorView& x,
                                            const Context& context = {});

/// The integral of samples y at equal distances dx, by parabolas: correctly rounded. With an even number of
/// samples the last interval is that of the parabola through the last three; two samples are a trapezoid.
[[nodiscard]] FOLDLINE_API double simpson(const VectorView& y, double dx, const Context& context = {});

/// The same of samples at x_0, x_1, ..., which may not repeat (InvalidArgument). Weights are rounded; their
/// products with the samples are added up exactly. Distances of integers are exact before they are rounded.
[[nodiscard]] FOLDLINE_API double simpson(const VectorView& y, const VectorView& x,
                                          const Context& context = {});

/// out[i] is the integral, by trapezoids, up to sample i: out[0] = 0, and the last is trapezoid(y, dx). Each
/// is rounded once, so they do not drift. `out` is of doubles, of y's size, and apart from y in memory.
FOLDLINE_API void cumulative_trapezoid(const VectorView& y, double dx, const MutableVectorView& out,
                                       const Context& context = {});

/// The same of samples at x_0, x_1, ..., as trapezoid(y, x) has them.
FOLDLINE_API void cumulative_trapezoid(const VectorView& y, const VectorView& x, const MutableVectorView& out,
                                       const Context& context = {});

}  // namespace foldline
