// Sums of the columns of a matrix whose rows are added in blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/columns/columns.hpp"

namespace foldline::cpu {

/// A multiple of every target's group of columns.
inline constexpr std::int64_t common_group = 32;

/// How many rows of a dense matrix of few columns are treated as one wider row, so that no lane is idle; 1 if
/// there are enough columns.
std::int64_t rows_to_join(std::int64_t columns);

/// Sums or extrema of every column over the rows added so far. One thread adds at a time; threads that share
/// rows have one object each.
class RunningColumns {
 public:
  RunningColumns(const Needs& needs, ElementType type, std::int64_t columns, Target target);

  /// Chooses the columns' windows by the first few rows of a matrix, at least one. Objects that began with
  /// the same rows merge side by side, which is fast. Without begin() the rows added first decide.
  void begin(const Columns& rows);
  void add(const Columns& rows);
  /// Adds the rows of `other`, for the same columns, which is unusable afterwards.
  void merge(RunningColumns& other);
  /// Rounds every column: the result of the first one goes `first` elements after the reduction's first.
  void round(const AxisReduction& reduction, RoundTo round_one, std::int64_t first,
             std::int64_t stride) const;

  std::int64_t rows() const { return rows_; }

 private:
  /// Blocks of columns whose sums stay in a cache, for rows that are all joined alike.
  class Blocks {
   public:
    Blocks(const Needs& needs, ElementType type, std::int64_t columns, Target target);
    void begin(const Columns& rows);
    void add(const Columns& rows);
    void merge(Blocks& other);
    /// Hands block `index` to the sink, unless nothing was added.
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
    std::vector<std::unique_ptr<BlockSums>> sums_;  ///< empty before the first rows
  };

  void look_for_negative_zeros(const Columns& rows);
  std::vector<Moments> column_moments() const;

  std::int64_t columns_, join_;
  Blocks plain_, joined_;
  std::int64_t rows_ = 0;
  /// Whether a column has had elements of -0 only, and the number of such columns.
  std::vector<bool> only_negative_zeros_;
  std::int64_t undecided_;
};

}  // namespace foldline::cpu
