// The columns of a matrix whose rows come some at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/columns/columns.hpp"

namespace foldline::cpu {

/// Columns of any target's group of lanes are a divisor of this.
inline constexpr std::int64_t common_group = 32;

/// So many rows of a dense matrix of few columns are seen as one wider row, so that no lane is idle; 1 where
/// there are enough columns.
std::int64_t rows_to_join(std::int64_t columns);

/// Sums, or whatever an operation needs, of every column, of the rows added so far. One thread adds at a
/// time; threads that share rows have one each.
class RunningColumns {
 public:
  RunningColumns(const Needs& needs, ElementType type, std::int64_t columns, Target target);

  /// Tells where to expect the columns' terms, by the first few rows of a matrix; there must be one. Sums
  /// that began with the same rows are merged side by side. Without it those that are added first tell.
  void begin(const Columns& rows);
  void add(const Columns& rows);
  /// Adds the rows of another one for the same columns, which is of no use after that.
  void merge(RunningColumns& other);
  /// Rounds every column: the result of the first one goes `first` elements after the reduction's first.
  void round(const AxisReduction& reduction, RoundTo round_one, std::int64_t first,
             std::int64_t stride) const;

  std::int64_t rows() const { return rows_; }

 private:
  /// Columns, in blocks whose sums stay in a cache, of rows that are all seen in the same way.
  class Blocks {
   public:
    Blocks(const Needs& needs, ElementType type, std::int64_t columns, Target target);
    void begin(const Columns& rows);
    void add(const Columns& rows);
    void merge(Blocks& other);
    /// Hands over block `index`, unless nothing was added.
    void finish(std::int64_t index, ColumnSink& sink) const;

    std::int64_t rows() const { return rows_; }
    std::int64_t count() const;
    std::int64_t first_column(std::int64_t index) const;

   private:
    Columns block_of(const Columns& rows, std::int64_t index) const;

    Needs needs_;
    ElementType type_;
    std::int64_t columns_;
    Target target_;
    std::int64_t rows_ = 0;
    std::vector<std::unique_ptr<BlockSums>> sums_;  ///< none before the first rows
  };

  void look_for_negative_zeros(const Columns& rows);
  std::vector<Moments> gathered() const;

  std::int64_t columns_, join_;
  Blocks plain_, joined_;
  std::int64_t rows_ = 0;
  /// Whether a column has had elements of -0 only, and how many such columns there are.
  std::vector<bool> only_negative_zeros_;
  std::int64_t undecided_;
};

}  // namespace foldline::cpu
