// The limit of a sequence, guessed from its terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace foldline::quadrature {

/// Wynn's epsilon algorithm (1956), row by row: entry j of a row is entry j - 2 of the row before plus the
/// inverse of the difference of entries j - 1. Entries 2, 4, ... are guesses of the limit.
class EpsilonTable {
 public:
  void add(double term) {
    const double change = row_.empty() ? 0 : std::abs(term - row_[0]);
    converges_ = change < change_;
    change_ = change;
    std::vector<double> row = {term};
    for (std::size_t j = 1; j <= row_.size() && j < max_entries; ++j) {
      const double entry = (j < 2 ? 0 : row_[j - 2]) + 1 / (row[j - 1] - row_[j - 1]);
      if (!std::isfinite(entry)) break;  // two terms are the same: there is nothing left to extrapolate
      row.push_back(entry);
    }
    guess(best_of(row));
    row_ = std::move(row);
  }

  /// The last guess.
  double limit() const { return guesses_[0]; }
  /// The spread of the last guesses; infinite before there are four, and if the terms diverge: the algorithm
  /// would assign a "limit" to a divergent sequence, too.
  double error() const {
    double sum = 0;
    for (const double earlier : guesses_) sum += std::abs(guesses_[0] - earlier);
    return count_ < guesses_.size() || !converges_ ? std::numeric_limits<double>::infinity() : sum;
  }

 private:
  static constexpr std::size_t max_entries = 51;

  /// The entry that differs least from its neighbours in the table: entries beyond it are noise.
  double best_of(const std::vector<double>& row) const {
    double best = row[0], least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 2; j < row.size(); j += 2) {
      const double above = j < row_.size() ? row_[j] : row_[j - 2];
      const double change = std::abs(row[j] - row[j - 2]) + std::abs(row[j] - above);
      if (change > least) continue;
      least = change;
      best = row[j];
    }
    return best;
  }

  void guess(double value) {
    std::ranges::rotate(guesses_, guesses_.end() - 1);
    guesses_[0] = value;
    ++count_;
  }

  std::vector<double> row_;
  std::vector<double> guesses_ = std::vector<double>(4);
  std::size_t count_ = 0;
  double change_ = 0;  // between the last two terms
  bool converges_ = false;
};

}  // namespace foldline::quadrature
