// Adaptive integration: intervals are bisected where the error is largest, level by level (de Doncker 1978),
// so that what remains of a singularity after each level is a sequence that can be extrapolated.
#include <array>
#include <queue>
#include <vector>

#include "quadrature/adaptive.hpp"
#include "quadrature/extrapolation.hpp"
#include "quadrature/panel.hpp"

namespace foldline::quadrature {

namespace {

struct SmallerError {
  bool operator()(const Panel& a, const Panel& b) const { return a.error() < b.error(); }
};

/// A sum of errors from which terms can be taken out again, since it is exact. Infinite ones are counted.
class ErrorSum {
 public:
  void add(double error) {
    if (std::isinf(error))
      ++unknown_;
    else
      sum_.add(std::array{error}, {.threads = 1});
  }
  void subtract(double error) {
    if (std::isinf(error))
      --unknown_;
    else
      sum_.add(std::array{-error}, {.threads = 1});
  }
  void merge(const ErrorSum& other) {
    unknown_ += other.unknown_;
    sum_.merge(other.sum_);
  }
  double result() const { return unknown_ > 0 ? HUGE_VAL : sum_.result(); }

 private:
  Accumulator sum_{Operation::sum};
  std::int64_t unknown_ = 0;
};

class Bisection {
 public:
  Bisection(CountingIntegrand& f, double a, double b, const Tolerance& tolerance)
      : f_(f), line_(a, b), tolerance_(tolerance) {
    add(Panel(f_, line_, line_.begin(), line_.end(), 0));
  }

  Estimate run(std::int64_t max_evaluations) {
    for (;;) {
      const Estimate plain = total();
      if (is_enough(plain)) return plain;
      if (level_is_done(plain)) {
        const Estimate guess = extrapolated(plain);
        if (is_enough(guess)) return guess;
        if (f_.evaluations() >= max_evaluations || is_hopeless(plain))
          return guess.error < plain.error ? guess : plain;
        begin_level();
      } else if (f_.evaluations() >= max_evaluations) {
        return plain;
      } else {
        bisect_worst();
      }
    }
  }

 private:
  bool is_enough(const Estimate& estimate) const {
    return std::isfinite(estimate.value) && estimate.error <= allowed_error(tolerance_, estimate.value);
  }

  /// Whether what bisection cannot change is too much already, or nothing else is left.
  bool is_hopeless(const Estimate& estimate) const {
    return !std::isfinite(estimate.value) || settled_for_good_ > allowed_error(tolerance_, estimate.value) ||
           (open_.empty() && next_.empty());
  }

  /// The sum over all intervals, and of their errors.
  Estimate total() const { return {value_.result(), error() + next_errors_.result()}; }
  /// Of all but the intervals that are left for the next level.
  double error() const { return errors_.result() + settled_for_good_; }

  bool level_is_done(const Estimate& plain) const {
    if (open_.empty()) return true;
    return !next_.empty() && errors_.result() <= allowed_error(tolerance_, plain.value) / 2;
  }

  Estimate extrapolated(const Estimate& plain) {
    levels_.add(plain.value);
    return {levels_.limit(), levels_.error() + error()};
  }

  void begin_level() {
    ++level_;
    for (const Panel& panel : next_) open_.push(panel);
    next_.clear();
    errors_.merge(next_errors_);
    next_errors_ = {};
  }

  void add(const Panel& panel) {
    panel.add_to(value_);
    if (!panel.is_divisible()) {
      settled_for_good_ += panel.error();
      return;
    }
    const bool is_next = panel.depth() > level_;
    (is_next ? next_errors_ : errors_).add(panel.error());
    if (is_next)
      next_.push_back(panel);
    else
      open_.push(panel);
  }

  void bisect_worst() {
    const Panel worst = open_.top();
    open_.pop();
    worst.subtract_from(value_);
    errors_.subtract(worst.error());
    add(Panel(f_, line_, worst.begin(), worst.middle(), worst.depth() + 1));
    add(Panel(f_, line_, worst.middle(), worst.end(), worst.depth() + 1));
  }

  CountingIntegrand& f_;
  Line line_;
  Tolerance tolerance_;
  Accumulator value_{Operation::dot};  // exact, so that panels can be taken out again
  int level_ = 0;
  std::priority_queue<Panel, std::vector<Panel>, SmallerError> open_;  // panels of depth <= level_
  std::vector<Panel> next_;                                            // of depth level_ + 1
  ErrorSum errors_, next_errors_;                                      // of the same
  double settled_for_good_ = 0;                                        // the errors of what is not divisible
  EpsilonTable levels_;
};

}  // namespace

Estimate bisect(CountingIntegrand& f, double a, double b, const Tolerance& tolerance,
                std::int64_t max_evaluations) {
  return Bisection(f, a, b, tolerance).run(max_evaluations);
}

}  // namespace foldline::quadrature
