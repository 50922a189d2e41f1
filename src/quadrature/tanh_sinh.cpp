// Double exponential integration (Takahasi and Mori 1974): a change of variable makes the integrand fall so
// steeply at both ends that the trapezoidal rule is nearly optimal.
#include <algorithm>
#include <array>
#include <limits>
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
  double rounding;  // of x
};

/// x = tanh u, exp u or sinh u, moved and scaled to the interval, with u = pi/2 sinh t.
class Transform {
 public:
  Transform(double a, double b) : a_(a), b_(b) {}

  Node operator()(double t) const {
    const double u = std::numbers::pi / 2 * std::sinh(t);
    const double du = std::numbers::pi / 2 * std::cosh(t);
    if (std::isfinite(a_) && std::isfinite(b_)) {
      const double half = (b_ - a_) / 2;
      // The distance from the nearer end keeps all digits where 1 - tanh u has none left.
      const double part = 2 / (1 + std::exp(2 * std::abs(u)));
      const double weight = half * part * (2 - part) * du;
      if (std::abs(u) < 0.5) return node(a_ + half, half * std::tanh(u), u, weight);
      return t < 0 ? node(a_, half * part, u, weight) : node(b_, -half * part, u, weight);
    }
    if (std::isinf(a_) && std::isinf(b_)) return node(0, std::sinh(u), u, std::cosh(u) * du);
    const double distance = std::exp(u);
    return std::isinf(b_) ? node(a_, distance, u, distance * du) : node(b_, -distance, u, distance * du);
  }

  /// Whether f may be called there.
  bool is_inside(const Node& node) const {
    return a_ < node.x && node.x < b_ && node.weight > 0 && std::isfinite(node.weight);
  }

  /// The end that t falls, or rises, towards.
  double end(bool is_right) const {
    const bool is_reversed = std::isinf(a_) && std::isfinite(b_);
    return is_right != is_reversed ? b_ : a_;
  }

 private:
  static Node node(double from, double distance, double u, double weight) {
    const double x = from + distance;
    return {x, weight, 0x1p-53 * (std::abs(x) + (2 + std::abs(u)) * std::abs(distance))};
  }

  double a_, b_;
};

/// The values of a sum at the last levels.
class History {
 public:
  void add(double value) {
    std::ranges::rotate(values_, values_.end() - 1);
    values_[0] = value;
  }
  double value() const { return values_[0]; }

  /// Whether h is small enough for a smooth f: digits nearly double with each level. At a kink they do not,
  /// and small changes happen by chance: fewer than seven equal digits count as chance.
  bool doubles(double magnitude) const {
    const auto exceeds = [&](std::size_t i, double power) {
      return change(i) / magnitude <= std::pow(change(i + 1) / magnitude, power);
    };
    return change(0) <= 1e-7 * magnitude && exceeds(0, 1.5) && exceeds(1, 1.25) && exceeds(2, 1);
  }
  /// The error that the last values suggest, on the scale of `magnitude`: if digits double, only that of the
  /// last change remains.
  double error(double magnitude) const {
    return doubles(magnitude) ? 2 * change(0) : 8 * std::max({change(0), change(1) / 2, change(2) / 4});
  }

  /// Whether it grows as it does at a pole, by the same with each level.
  bool grows() const {
    return change(0) + change(1) + change(2) >= 0.7 * (change(3) + change(4) + change(5));
  }

 private:
  double change(std::size_t i) const { return std::abs(values_[i] - values_[i + 1]); }

  std::array<double, 7> values_ = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
};

class DoubleExponential {
 public:
  DoubleExponential(CountingIntegrand& f, double a, double b) : f_(f), transform_(a, b) {
    std::vector<double> t;
    for (int i = -max_t; i <= max_t; ++i) t.push_back(i);
    add_terms(t);
  }

  /// Halves the distance of the nodes.
  void refine() {
    h_ /= 2;
    std::vector<double> t;
    for (double place = -max_t + h_; place < max_t; place += 2 * h_)
      if (left_ < place && place < right_) t.push_back(place);
    add_terms(t);
    if (h_ == 0.25) cut_ends();
  }

  double value() const { return value_.value(); }
  double magnitude() const { return magnitude_.value(); }
  /// The error by the last levels, of the sum and of one with weights from 0 on the left to 1 on the right:
  /// in the latter the positive and negative parts of x / (x^2 - c^2), which has no integral, do not cancel.
  double step() const { return std::max(value_.error(magnitude()), skewed_.error(magnitude())); }
  /// For an f that does not seem smooth, at least the largest difference of neighbours: each level may double
  /// the number of terms at a jump, so that the sum is unchanged for some levels.
  double jump() {
    if (value_.doubles(magnitude()) && skewed_.doubles(magnitude())) return 0;
    sort();
    double largest = 0;
    for (std::size_t i = 1; i < terms_.size(); ++i)
      largest = std::max(largest, std::abs(terms_[i].size() - terms_[i - 1].size()));
    return h_ * largest;
  }
  /// The integral beyond the outermost terms; infinite if they hardly fall.
  double ends() const { return tail(false) + tail(true); }

  /// The error that rounding may cause, of f itself and of the nodes: of these, where f is steep.
  double rounding() {
    sort();
    double squares = 0;
    for (std::size_t i = 1; i + 1 < terms_.size(); ++i) {
      const Term &before = terms_[i - 1], &term = terms_[i], &after = terms_[i + 1];
      const double slope = (after.y - before.y) / (after.x - before.x);
      const double error = term.rounding * h_ * term.weight * slope;
      if (std::isfinite(error)) squares += error * error;
    }
    return rounding_floor * magnitude() + 3 * std::sqrt(squares / 3);
  }

  bool is_finite() const { return bad() == 0; }

  /// Why it does not converge, and where.
  Estimate reason(Estimate best) {
    using enum IntegrationStatus;
    const bool is_right = tail(true) > tail(false);
    const auto largest = std::ranges::max_element(terms_, {}, &Term::size);
    best.where = std::isinf(ends()) ? transform_.end(is_right) : largest->x;
    if (std::isinf(ends()) || magnitude_.grows()) {
      best.status = may_diverge;
    } else if (!is_finite()) {
      best.status = not_finite;
      best.where = std::ranges::find_if(terms_, [this](const Term& term) { return matters(term); })->x;
    } else if (ends() + rounding() >= best.error / 2) {
      best.status = round_off;
      if (ends() > rounding()) best.where = transform_.end(is_right);
    } else {
      best.status = max_evaluations;
    }
    return best;
  }

 private:
  static constexpr int max_t = 7;  // x is at the end before, or overflows: exp(pi/2 sinh 6.8) is 1e306
  static constexpr double negligible = 0x1p-60;

  struct Term {
    double t, x, y, weight, rounding;
    bool is_bad;  // a sample that was not finite
    double size() const { return std::abs(y * weight); }
  };

  /// Adds w f at t.
  void add_terms(const std::vector<double>& places) {
    std::vector<double> x, weights, t, skewed, roundings;
    for (const double place : places) {
      const Node node = transform_(place);
      if (!transform_.is_inside(node)) continue;
      t.push_back(place);
      x.push_back(node.x);
      weights.push_back(node.weight);
      roundings.push_back(node.rounding);
      skewed.push_back(node.weight / (1 + std::exp(-place)));
    }
    std::vector<double> y(x.size());
    const auto is_bad = std::make_unique<bool[]>(x.size());
    f_(x, y.data(), is_bad.get());
    sum_.add(y, weights, {.execution = {.threads = 1}});
    skewed_sum_.add(y, skewed, {.execution = {.threads = 1}});
    for (std::size_t i = 0; i < y.size(); ++i) {
      terms_.push_back({t[i], x[i], y[i], weights[i], roundings[i], is_bad[i]});
      size_ += terms_.back().size();
    }
    value_.add(h_ * sum_.result());
    skewed_.add(h_ * skewed_sum_.result());
    magnitude_.add(h_ * size_);
  }

  void sort() { std::ranges::sort(terms_, {}, &Term::t); }

  /// Drops what lies beyond the last terms that matter, from now on.
  void cut_ends() {
    if (size_ == 0) return;
    double left = max_t, right = -max_t;
    for (const Term& term : terms_) {
      if (term.size() <= negligible * size_) continue;
      left = std::min(left, term.t);
      right = std::max(right, term.t);
    }
    left_ = left - 2 * h_;
    right_ = right + 2 * h_;
  }

  /// A NaN far out, such as x^2 exp(-x) gives where x^2 overflows, does no harm.
  bool matters(const Term& term) const { return term.is_bad && left_ < term.t && term.t < right_; }
  std::int64_t bad() const {
    return std::ranges::count_if(terms_, [this](const Term& term) { return matters(term); });
  }

  /// The integral beyond the outermost term, on one side: if terms fall like exp(-s t), it is that term / s.
  double tail(bool is_right) const {
    const auto is_farther = [&](const Term& a, const Term& b) { return is_right ? a.t > b.t : a.t < b.t; };
    const Term* last = &terms_.front();
    for (const Term& term : terms_)
      if (is_farther(term, *last)) last = &term;
    if (last->size() <= negligible * size_) return last->size();
    const Term* inner = nullptr;  // the nearest at a distance of 1 or more
    for (const Term& term : terms_)
      if (std::abs(term.t - last->t) >= 1 && (inner == nullptr || is_farther(term, *inner))) inner = &term;
    const double slope = std::log(inner->size() / last->size()) / std::abs(inner->t - last->t);
    return slope > 0.5 ? last->size() / std::min(slope, 1.0) : HUGE_VAL;
  }

  CountingIntegrand& f_;
  Transform transform_;
  double h_ = 1;
  double left_ = -max_t, right_ = max_t;
  std::vector<Term> terms_;
  Accumulator sum_{Operation::dot}, skewed_sum_{Operation::dot};
  double size_ = 0;  // of all terms
  History value_, skewed_, magnitude_;
};

}  // namespace

Estimate tanh_sinh(CountingIntegrand& f, double a, double b, const Tolerance& tolerance,
                   std::int64_t max_evaluations) {
  constexpr int min_level = 3, max_level = 20, patient_level = 8;
  DoubleExponential sum(f, a, b);
  Estimate best{sum.value(), HUGE_VAL};
  for (int level = 1; level <= max_level && f.evaluations() < max_evaluations; ++level) {
    sum.refine();
    const bool is_sound = std::isfinite(sum.value()) && std::isfinite(sum.ends()) && sum.is_finite();
    if (!is_sound && level >= patient_level) break;
    if (level < min_level || (sum.magnitude() == 0 && level < patient_level)) continue;
    const double allowed = allowed_error(tolerance, sum.value());
    const double floor = rounding_floor * sum.magnitude() + sum.ends();
    best = {sum.value(), is_sound ? std::max(sum.step(), floor) : HUGE_VAL};
    if (!is_sound || !(sum.step() <= std::max(floor, allowed)) || sum.step() > sum.magnitude() / 8) continue;
    const double jump = sum.jump();
    best.error = std::max({sum.step(), jump, sum.ends() + sum.rounding()});
    if (best.error <= allowed) return best;
    // Smaller steps reduce neither rounding nor the parts beyond the ends.
    if (std::max(sum.step(), jump) <= best.error / 2) break;
  }
  return sum.reason(best);
}

}  // namespace foldline::quadrature
