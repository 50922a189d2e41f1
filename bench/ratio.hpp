// How many times as fast one contestant is as another, round by round.
#pragma once

#include <utility>
#include <vector>

namespace foldline::bench {

/// Of one number at least.
double median(std::vector<double> values);

/// A contestant's rate over that of another, or of the best of several.
class Ratio {
 public:
  /// Nothing to compare with.
  Ratio() = default;
  /// `rounds`: the ratio in each round; none if the contestants did not take turns. `of_run`: that of the
  /// medians of all rounds.
  Ratio(std::vector<double> rounds, double of_run) : rounds_(std::move(rounds)), of_run_(of_run) {}

  bool exists() const { return of_run_ > 0; }
  bool is_paired() const { return !rounds_.empty(); }
  /// The median of the rounds' ratios, both sides of which met the same state of the machine; without rounds
  /// the ratio of the medians; 0 if there is nothing to compare with.
  double value() const { return is_paired() ? median(rounds_) : of_run_; }
  /// The least and the greatest ratio of a round; without rounds value().
  double lowest() const;
  double highest() const;
  double of_run() const { return of_run_; }

  /// The ratio of times instead of rates.
  Ratio inverse() const;

 private:
  std::vector<double> rounds_;
  double of_run_ = 0;
};

}  // namespace foldline::bench
