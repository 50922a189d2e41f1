// Double exponential integration (Takahasi and Mori 1974): a change of variable makes the integrand fall so
// steeply at both ends that the trapezoidal rule is as good as it can be.
#include <memory>
#include <numbers>
#include <vector>

#include "foldline/accumulator.hpp"
#include "quadrature/adaptive.hpp"

namespace foldline::quadrature {

namespace {

/// x(t) and dx/dt.
struct Node {
  double x, weight;
};

/// x = tanh u, exp u or sinh u, moved and scaled to the interval, with u = pi/2 sinh t.
class Transform {
 public:
  Transform(double a, double b) : a_(a), b_(b) {}

  Node operator()(double t) const {
    const double u = std::numbers::pi / 2 * std::sinh(t);
    const double du = std::numbers::pi / 2 * std::cosh(t);
    if (std::isfinite(a_) && std::isfinite(b_)) {
      // The distance from the nearer end: it has all its digits where 1 - tanh u has none left.
      const double part = 2 / (1 + std::exp(2 * std::abs(u)));
      const double half = (b_ - a_) / 2, distance = half * part;
      return {t < 0 ? a_ + distance : b_ - distance, distance * (2 - part) * du};
    }
    if (std::isinf(a_) && std::isinf(b_)) return {std::sinh(u), std::cosh(u) * du};
    const double distance = std::exp(u);
    return {std::isinf(b_) ? a_ + distance : b_ - distance, distance * du};
  }

  /// Whether f may be called there.
  bool is_inside(const Node& node) const {
    return a_ < node.x && node.x < b_ && node.weight > 0 && std::isfinite(node.weight);
  }

 private:
  double a_, b_;
};

class DoubleExponential {
 public:
  DoubleExponential(CountingIntegrand& f, double a, double b) : f_(f), transform_(a, b) {
    for (int i = -max_t; i <= max_t; ++i) t_.push_back(i);
    add_terms();
  }

  /// Halves the distance of the nodes.
  void refine() {
    h_ /= 2;
    t_.clear();
    for (double t = -max_t + h_; t < max_t; t += 2 * h_)
      if (left_ < t && t < right_) t_.push_back(t);
    add_terms();
    if (!is_cut_ && h_ <= 0.25) cut_ends();
  }

  double value() const { return h_ * sum_.result(); }
  double magnitude() const { return h_ * magnitude_; }
  /// What may be missing beyond the outermost nodes: no more than the terms there.
  double ends() const { return first_.size + last_.size; }
  /// Samples that were not finite, where they matter.
  std::int64_t bad() const { return bad_; }

 private:
  static constexpr int max_t = 7;  // x is at the end before, or overflows: exp(pi/2 sinh 6.8) is 1e306

  struct Term {
    double t, size;
    bool is_bad = false;  // a sample that was not finite
  };

  /// Adds w f at t_.
  void add_terms() {
    std::vector<double> x, weights, t;
    for (const double place : t_) {
      const Node node = transform_(place);
      if (!transform_.is_inside(node)) continue;
      t.push_back(place);
      x.push_back(node.x);
      weights.push_back(node.weight);
    }
    std::vector<double> y(x.size());
    const auto is_bad = std::make_unique<bool[]>(x.size());
    f_(x, y.data(), is_bad.get());
    sum_.add(y, weights, {.threads = 1});
    for (std::size_t i = 0; i < y.size(); ++i) note({t[i], std::abs(y[i] * weights[i]), is_bad[i]});
  }

  void note(const Term& term) {
    magnitude_ += term.size;
    if (term.t < first_.t) first_ = term;
    if (term.t > last_.t) last_ = term;
    if (term.is_bad) ++bad_;
    if (!is_cut_) terms_.push_back(term);
  }

  /// Leaves out from now on what lies beyond the last terms that matter.
  void cut_ends() {
    is_cut_ = true;
    if (magnitude_ == 0) return;
    const double least = 0x1p-60 * magnitude_;
    double left = max_t, right = -max_t;
    for (const Term& term : terms_) {
      if (term.size <= least) continue;
      left = std::min(left, term.t);
      right = std::max(right, term.t);
    }
    left_ = left - 2 * h_;
    right_ = right + 2 * h_;
    // A NaN far out, such as x^2 exp(-x) gives where x^2 overflows, does no harm.
    bad_ = std::ranges::count_if(
        terms_, [this](const Term& term) { return term.is_bad && left_ < term.t && term.t < right_; });
  }

  CountingIntegrand& f_;
  Transform transform_;
  double h_ = 1;
  double left_ = -max_t, right_ = max_t;
  bool is_cut_ = false;
  std::vector<double> t_;
  std::vector<Term> terms_;                 // all of them, until the ends are cut
  Term first_{max_t, 0}, last_{-max_t, 0};  // the outermost
  Accumulator sum_{Operation::dot};
  double magnitude_ = 0;
  std::int64_t bad_ = 0;
};

/// What the last three values tell, on the scale of `magnitude`. Where h is small enough for a smooth f,
/// digits double with each level. Where they don't, as at a kink, one change may be small by chance: then the
/// change before counts, too.
double error_of(double before_last, double last, double now, double magnitude) {
  const double change = std::abs(now - last), change_before = std::abs(last - before_last);
  if (change == 0 && change_before == 0) return 0;
  const bool doubles = change / magnitude <= std::pow(change_before / magnitude, 1.5);
  return doubles ? 2 * change * (change / change_before) : std::max(change, change_before / 8);
}

}  // namespace

Estimate tanh_sinh(CountingIntegrand& f, double a, double b, const Tolerance& tolerance,
                   std::int64_t max_evaluations) {
  constexpr int min_level = 3, max_level = 20;
  DoubleExponential sum(f, a, b);
  double last = HUGE_VAL, now = sum.value();
  Estimate best{now, HUGE_VAL};
  for (int level = 1; level <= max_level && f.evaluations() < max_evaluations; ++level) {
    sum.refine();
    const double next = sum.value();
    if (level >= min_level) {
      const double step = error_of(last, now, next, sum.magnitude());
      const double floor = rounding_floor * sum.magnitude() + sum.ends();
      best = {next, sum.bad() == 0 ? std::max(step, floor) : HUGE_VAL};
      // Smaller steps change neither rounding nor what is beyond the ends.
      if (step <= std::max(floor, allowed_error(tolerance, next))) return best;
    }
    last = now;
    now = next;
  }
  return best;
}

}  // namespace foldline::quadrature
