#include "cpu/columns/running_columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cpu/columns/column_results.hpp"
#include "cpu/simd/environment.hpp"
#include "cpu/simd/negative_zeros.hpp"

namespace foldline::cpu {
namespace {

// Columns per block, whose sums stay in the nearer caches while some rows are added.
constexpr std::int64_t block_columns = 2048;

/// The matrix with every `join` rows as one, without the remainder.
Columns rows_joined(const Columns& matrix, std::int64_t join) {
  Columns joined = matrix;
  joined.rows /= join;
  joined.columns *= join;
  joined.row_stride *= join;
  return joined;
}

/// Rounds columns whose rows are no longer in memory.
class RunningSink : public RoundingSink {
 public:
  RunningSink(const AxisReduction& reduction, RoundTo round, std::int64_t first, std::int64_t stride,
              const std::vector<bool>& only_negative_zeros, std::int64_t first_column)
      : RoundingSink(reduction, round, first + first_column * stride, stride),
        only_negative_zeros_(only_negative_zeros),
        first_column_(first_column) {}
  void take(std::int64_t column, Moments& moments) override {
    if (!only_negative_zeros_.empty() &&
        !only_negative_zeros_[static_cast<std::size_t>(first_column_ + column)])
      moments.only_negative_zeros = false;
    RoundingSink::take(column, moments);
  }

 private:
  const std::vector<bool>& only_negative_zeros_;
  const std::int64_t first_column_;
};

/// Merges columns of a block that are equal modulo `totals.size()`.
class MomentsSink : public ColumnSink {
 public:
  explicit MomentsSink(std::vector<Moments>& totals) : totals_(totals) {}
  void take(std::int64_t column, Moments& moments) override {
    totals_[static_cast<std::size_t>(column) % totals_.size()].merge(moments);
  }
  void take_results(std::int64_t /*first*/, std::int64_t /*count*/, const double* /*results*/) override {}

 private:
  std::vector<Moments>& totals_;
};

}  // namespace

std::int64_t rows_to_join(std::int64_t columns) {
  constexpr std::int64_t narrow = 2 * common_group;
  return columns > narrow ? 1 : common_group / std::gcd(columns, common_group);
}

RunningColumns::Blocks::Blocks(const Needs& needs, ElementType type, std::int64_t columns, Target target)
    : needs_(needs), type_(type), columns_(columns), target_(target) {}

std::int64_t RunningColumns::Blocks::count() const {
  return columns_ == 0 ? 0 : (columns_ - 1) / block_columns + 1;
}

std::int64_t RunningColumns::Blocks::first_column(std::int64_t index) const { return index * block_columns; }

Columns RunningColumns::Blocks::block_of(const Columns& rows, std::int64_t index) const {
  const std::int64_t first = first_column(index);
  Columns block = rows;
  block.columns = std::min(block_columns, columns_ - first);
  if (block.data != nullptr) block.data = rows.at(0, first);
  return block;
}

void RunningColumns::Blocks::begin(const Columns& rows) {
  const MakeBlockSums make = block_sums_for(target_, type_);
  sums_.reserve(static_cast<std::size_t>(count()));
  for (std::int64_t i = 0; i < count(); ++i) {
    const Columns block = block_of(rows, i);
    sums_.push_back(make(needs_, type_, block.columns));
    sums_.back()->begin(block);
  }
}

void RunningColumns::Blocks::add(const Columns& rows) {
  if (sums_.empty()) begin(rows);
  const double one = one_in_memory;
  for (std::int64_t i = 0; i < count(); ++i) sums_[static_cast<std::size_t>(i)]->add(block_of(rows, i), one);
  rows_ += rows.rows;
}

void RunningColumns::Blocks::merge(Blocks& other) {
  if (other.rows_ == 0) return;
  if (rows_ == 0)
    sums_ = std::move(other.sums_);
  else
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i]->merge(*other.sums_[i]);
  rows_ += other.rows_;
}

void RunningColumns::Blocks::finish(std::int64_t index, ColumnSink& sink) const {
  if (rows_ == 0) return;
  const Columns rows_gone = {nullptr, type_, rows_, columns_, columns_, 1, true};
  sums_[static_cast<std::size_t>(index)]->finish(block_of(rows_gone, index), sink);
}

RunningColumns::RunningColumns(const Needs& needs, ElementType type, std::int64_t columns, Target target)
    : columns_(columns),
      join_(rows_to_join(columns)),
      plain_(needs, type, columns, target),
      joined_(needs, type, columns * join_, target),
      only_negative_zeros_(is_floating(type) && needs.values ? static_cast<std::size_t>(columns) : 0, true),
      undecided_(static_cast<std::int64_t>(only_negative_zeros_.size())) {}

void RunningColumns::begin(const Columns& rows) {
  const ArithmeticEnvironment environment;
  if (join_ > 1 && rows.is_dense() && rows.rows >= join_) return joined_.begin(rows_joined(rows, join_));
  plain_.begin(rows);
}

void RunningColumns::add(const Columns& rows) {
  rows_ += rows.rows;
  if (rows.rows == 0 || columns_ == 0) return;
  const ArithmeticEnvironment environment;
  look_for_negative_zeros(rows);
  Columns rest = rows;
  if (join_ > 1 && rows.is_dense() && rows.rows >= join_) {
    joined_.add(rows_joined(rows, join_));
    rest = rows.rows_from(rows.rows / join_ * join_, rows.rows % join_);
  }
  if (rest.rows > 0) plain_.add(rest);
}

/// Nearly always the first row decides for every column.
void RunningColumns::look_for_negative_zeros(const Columns& rows) {
  for (std::int64_t i = 0; undecided_ > 0 && i < columns_; ++i) {
    const auto column = static_cast<std::size_t>(i);
    if (!only_negative_zeros_[column] || only_negative_zeros(rows.column(i), 0, rows.rows)) continue;
    only_negative_zeros_[column] = false;
    --undecided_;
  }
}

void RunningColumns::merge(RunningColumns& other) {
  const ArithmeticEnvironment environment;
  plain_.merge(other.plain_);
  joined_.merge(other.joined_);
  rows_ += other.rows_;
  for (std::size_t i = 0; i < only_negative_zeros_.size(); ++i) {
    if (!only_negative_zeros_[i] || other.only_negative_zeros_[i]) continue;
    only_negative_zeros_[i] = false;
    --undecided_;
  }
}

/// The moments of each column when rows were joined.
std::vector<Moments> RunningColumns::column_moments() const {
  std::vector<Moments> totals(static_cast<std::size_t>(columns_));
  MomentsSink sink(totals);
  for (std::int64_t i = 0; i < joined_.count(); ++i) joined_.finish(i, sink);
  for (std::int64_t i = 0; i < plain_.count(); ++i) plain_.finish(i, sink);
  for (std::size_t i = 0; i < only_negative_zeros_.size(); ++i)
    if (!only_negative_zeros_[i]) totals[i].only_negative_zeros = false;
  return totals;
}

void RunningColumns::round(const AxisReduction& reduction, RoundTo round_one, std::int64_t first,
                           std::int64_t stride) const {
  const ArithmeticEnvironment environment;
  if (rows_ == 0) {
    for (std::int64_t i = 0; i < columns_; ++i) round_one(reduction, Moments(), first + i * stride);
  } else if (joined_.rows() > 0) {
    const std::vector<Moments> totals = column_moments();
    for (std::int64_t i = 0; i < columns_; ++i)
      round_one(reduction, totals[static_cast<std::size_t>(i)], first + i * stride);
  } else {
    for (std::int64_t i = 0; i < plain_.count(); ++i) {
      RunningSink sink(reduction, round_one, first, stride, only_negative_zeros_, plain_.first_column(i));
      plain_.finish(i, sink);
    }
  }
}

namespace {

class RunningColumnSums : public MatrixColumnSums {
 public:
  RunningColumnSums(const Needs& needs, ElementType type, std::int64_t columns, Target target)
      : running_(needs, type, columns, target) {}

  void add(const MatrixView& rows, bool from_memory) override {
    const ArrayView& array = rows.array();
    running_.add({array.at(0), array.type(), rows.rows(), rows.columns(), array.strides()[0],
                  array.strides()[1], from_memory});
  }
  void merge(MatrixColumnSums& other) override {
    running_.merge(static_cast<RunningColumnSums&>(other).running_);  // there is no other class
  }
  void round(const AxisReduction& reduction, RoundTo round_one, std::int64_t stride) const override {
    running_.round(reduction, round_one, 0, stride);
  }
  std::int64_t rows() const override { return running_.rows(); }

 private:
  RunningColumns running_;
};

}  // namespace

std::unique_ptr<MatrixColumnSums> make_column_sums(const Needs& needs, ElementType type, std::int64_t columns,
                                                   Target target) {
  return std::make_unique<RunningColumnSums>(needs, type, columns, target);
}

}  // namespace foldline::cpu
