// Adaptive integration: bisects the intervals of largest error level by level (de Doncker 1978), so that what
// remains of a singularity after each level is a sequence that can be extrapolated.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "quadrature/adaptive.hpp"
#include "quadrature/closer_look.hpp"
#include "quadrature/decay.hpp"
#include "quadrature/error_sum.hpp"
#include "quadrature/extrapolation.hpp"
#include "quadrature/panel.hpp"

namespace foldline::quadrature {

namespace {

struct SmallerError {
  bool operator()(const Panel& a, const Panel& b) const { return a.error() < b.error(); }
};

class Bisection {
 public:
  Bisection(CountingIntegrand& f, double a, double b, const Tolerance& tolerance)
      : f_(f), tolerance_(tolerance) {
    if (std::isinf(a) && std::isinf(b))
      lines_ = {Line(a, 0), Line(0, b)};
    else
      lines_ = {Line(a, b)};
    for (const Line& line : lines_) {
      const Panel whole(f_, line, line.begin(), line.end(), 0, {});
      if (whole.is_constant())
        look_closer(whole);
      else
        add(whole);
    }
  }

  Estimate run(std::int64_t max_evaluations) {
    for (;;) {
      const Estimate plain = total();
      if (is_enough(plain) &&
          (has_signal(plain) || f_.evaluations() >= std::min(most_without_signal, max_evaluations)))
        return plain;
      if (level_is_done(plain)) {
        const Estimate guess = extrapolated(plain);
        if (is_enough(guess)) return guess;
        if (guess.error < best_.error) best_ = guess;
        if (cannot_improve(plain)) return is_enough(plain) ? plain : failed(plain);
        if (f_.evaluations() >= max_evaluations) return failed(plain);
        begin_level();
      } else if (f_.evaluations() >= max_evaluations) {
        return failed(plain);
      } else {
        bisect_worst();
      }
    }
  }

 private:
  static constexpr std::int64_t most_without_signal =
      2000;  // evaluations after which a result without signal is accepted

  /// Splits a seemingly constant line into eighths, whose rules must also agree with samples elsewhere.
  void look_closer(const Panel& whole) {
    const Line& line = whole.line();
    const std::vector<Sample> known = closer_look(f_, line);
    const auto cut = [&](int i) {  // the same for both neighbours
      return i == 8 ? line.end() : line.begin() + i * ((line.end() - line.begin()) / 8);
    };
    for (int i = 0; i < 8; ++i) {
      const double begin = cut(i), end = cut(i + 1);
      std::vector<Sample> inside = whole.samples_in(begin, end);
      std::ranges::copy_if(known, std::back_inserter(inside),
                           [&](const Sample& sample) { return begin <= sample.t && sample.t <= end; });
      add(Panel(f_, line, begin, end, 0, inside));
    }
  }

  bool is_enough(const Estimate& estimate) const {
    return std::isfinite(estimate.value) && estimate.error <= allowed_error(tolerance_, estimate.value);
  }

  /// Whether the samples show the integrand at all: not if the error is as large as the integral of |f|. (Of
  /// exp(-x^2) on (0, 10^4) the first samples are 1e-51 or less.)
  bool has_signal(const Estimate& estimate) const { return estimate.error <= magnitude_.result() / 8; }

  /// Whether the errors that bisection cannot reduce are too large, or no divisible interval is left.
  bool cannot_improve(const Estimate& plain) const {
    return !std::isfinite(plain.value) || is_rounded_away(plain) || (open_.empty() && next_.empty());
  }
  bool is_rounded_away(const Estimate& plain) const {
    const double allowed = allowed_error(tolerance_, plain.value);
    return settled_error_ > allowed || (rounding() > allowed && best_.error < 4 * rounding());
  }

  /// The sum over all intervals and its error, which includes rounding if it seems small enough without.
  Estimate total() const {
    const Estimate found = {value_.result(), error() + next_errors_.result()};
    return {found.value, found.error + (is_enough(found) ? rounding() : 0)};
  }
  /// The error without the intervals left for the next level.
  double error() const { return errors_.result() + settled_error_; }
  /// The error by rounding of nodes, which is of either sign.
  double rounding() const {
    double largest = settled_rounding_, squares = 0;
    for (const auto* panels : {&open_, &next_})
      for (const Panel& panel : *panels) largest = std::max(largest, panel.rounding());
    if (largest == 0 || !std::isfinite(largest)) return largest;
    const auto add = [&](double rounding) { squares += (rounding / largest) * (rounding / largest); };
    add(settled_rounding_);
    for (const auto* panels : {&open_, &next_})
      for (const Panel& panel : *panels) add(panel.rounding());
    return 3 * largest * std::sqrt(squares);
  }

  bool level_is_done(const Estimate& plain) const {
    if (open_.empty()) return true;
    return !next_.empty() && errors_.result() <= allowed_error(tolerance_, plain.value) / 2;
  }

  Estimate extrapolated(const Estimate& plain) {
    levels_.add(plain.value);
    const double magnitude = magnitude_.result();
    decay_.add(magnitude, 1e3 * finest_);
    const double value = levels_.limit();
    // As in QUADPACK (2.2.4.2): a limit of a very different size or sign than the sum so far is rejected,
    // unless positive and negative parts cancel.
    const bool cancels = std::max(std::abs(value), std::abs(plain.value)) <= 0.01 * magnitude;
    const double ratio = value / plain.value;
    const bool is_likely = (cancels || (ratio >= 0.01 && ratio <= 100)) && !has_jump(plain);
    return {value, is_likely && decay_.is_sure() ? decay_.caution() * levels_.error() + error() + rounding()
                                                 : HUGE_VAL};
  }

  /// Whether there is a jump: its contribution after each level depends on its position and has no limit but
  /// by chance.
  bool has_jump(const Estimate& plain) const {
    const double least = allowed_error(tolerance_, plain.value) / 100;
    return std::ranges::any_of(next_,
                               [&](const Panel& panel) { return panel.has_jump() && panel.error() > least; });
  }

  Estimate failed(const Estimate& plain) const {
    Estimate best = best_.error < plain.error ? best_ : plain;
    if (!std::isfinite(best.value)) best.error = HUGE_VAL;
    const Panel* worst = worst_settled_ ? &*worst_settled_ : nullptr;
    const auto compare = [&](const Panel& panel) {
      if (worst == nullptr || is_worse(panel, *worst)) worst = &panel;
    };
    std::ranges::for_each(open_, compare);
    std::ranges::for_each(next_, compare);
    best.status = reason(plain, *worst);
    best.where = worst->place();
    return best;
  }

  /// Among intervals with non-finite samples, the narrowest is the most informative.
  static bool is_worse(const Panel& a, const Panel& b) {
    return std::isinf(a.error()) && std::isinf(b.error()) ? a.depth() > b.depth() : a.error() > b.error();
  }

  IntegrationStatus reason(const Estimate& plain, const Panel& worst) const {
    using enum IntegrationStatus;
    if (decay_.is_doubtful() || !std::isfinite(plain.value)) return may_diverge;
    if (!std::isfinite(plain.error))
      return worst.is_overflow() || std::isinf(worst.place()) ? may_diverge : not_finite;
    return cannot_improve(plain) ? round_off : max_evaluations;
  }

  void begin_level() {
    ++level_;
    for (const Panel& panel : next_) open(panel);
    next_.clear();
    errors_.merge(next_errors_);
    next_errors_ = {};
  }

  void add(const Panel& panel) {
    panel.add_to(value_);
    finest_ = std::max(finest_, panel.line().rounding(panel.middle()) / (panel.end() - panel.begin()));
    magnitude_.add(std::array{panel.magnitude()}, {.execution = {.threads = 1}});
    if (!panel.is_divisible()) {
      settled_error_ += panel.error();
      settled_rounding_ = std::hypot(settled_rounding_, panel.rounding());
      if (!worst_settled_ || is_worse(panel, *worst_settled_)) worst_settled_ = panel;
      return;
    }
    const bool is_next = panel.depth() > level_;
    (is_next ? next_errors_ : errors_).add(panel.error());
    if (is_next)
      next_.push_back(panel);
    else
      open(panel);
  }

  void open(const Panel& panel) {
    open_.push_back(panel);
    std::ranges::push_heap(open_, SmallerError());
  }

  void bisect_worst() {
    std::ranges::pop_heap(open_, SmallerError());
    const Panel worst = open_.back();
    open_.pop_back();
    worst.subtract_from(value_);
    magnitude_.add(std::array{-worst.magnitude()}, {.execution = {.threads = 1}});
    errors_.subtract(worst.error());
    const auto add_part = [&](double begin, double end) {
      add(Panel(f_, worst.line(), begin, end, worst.depth() + 1, worst.samples_in(begin, end)));
    };
    add_part(worst.begin(), worst.middle());
    add_part(worst.middle(), worst.end());
  }

  CountingIntegrand& f_;
  std::vector<Line> lines_;
  Tolerance tolerance_;
  Accumulator value_{Operation::dot};  // exact, so that panels can be taken out again
  Accumulator magnitude_{Operation::sum};
  int level_ = 0;
  std::vector<Panel> open_;        // panels of depth <= level_, as a heap
  std::vector<Panel> next_;        // of depth level_ + 1
  ErrorSum errors_, next_errors_;  // of the same
  double settled_error_ = 0;       // errors of indivisible intervals
  double settled_rounding_ = 0;    // the same by rounding of nodes
  std::optional<Panel> worst_settled_;
  EpsilonTable levels_;
  Decay decay_;
  double finest_ = 0;           // rounding of nodes relative to the narrowest interval
  Estimate best_{0, HUGE_VAL};  // by extrapolation
};

}  // namespace

Estimate bisect(CountingIntegrand& f, double a, double b, const Tolerance& tolerance,
                std::int64_t max_evaluations) {
  return Bisection(f, a, b, tolerance).run(max_evaluations);
}

}  // namespace foldline::quadrature
