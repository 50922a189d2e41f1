#include "foldline/column_accumulator.hpp"

#include <limits>
#include <string>
#include <utility>

#include "api/axis_result.hpp"
#include "api/validate.hpp"
#include "contract/backend.hpp"
#include "foldline/error.hpp"
#include "foldline/plan.hpp"

namespace foldline {
namespace {

constexpr const char* accumulator_prefix = "column accumulator";

// Rows of more bytes than this are taken to be in no cache.
constexpr std::int64_t cached_bytes = std::int64_t{1} << 20;

/// The target that the context asks for, or the best one.
Target checked_target(Operation operation, ElementType type, std::int64_t columns, const Context& context) {
  if (takes_two_vectors(operation) || operation == Operation::statistics || name_of(operation) == "unknown")
    refuse(accumulator_prefix, "only operations that make one vector one number go along columns");
  if (columns < 0) refuse(accumulator_prefix, "a matrix cannot have " + std::to_string(columns) + " columns");
  if (!is_known(type)) refuse(accumulator_prefix, "the element type is unknown");
  require_cpu(accumulator_prefix, context.execution);
  return plan(operation, type, columns, context).target;
}

std::string text_of(std::int64_t columns, ElementType type) {
  return std::to_string(columns) + " columns of " + std::string(name_of(type));
}

}  // namespace

struct ColumnAccumulator::State {
  Operation operation;
  ElementType type;
  std::int64_t columns;
  std::unique_ptr<cpu::MatrixColumnSums> sums;

  void check_rows_to_come(std::int64_t rows) const {
    if (rows > std::numeric_limits<std::int64_t>::max() - sums->rows())
      refuse(accumulator_prefix, "more than 2^63 - 1 rows were added");
  }
};

ColumnAccumulator::ColumnAccumulator(Operation operation, ElementType type, std::int64_t columns,
                                     const Context& context) {
  const Target target = checked_target(operation, type, columns, context);
  state_ = std::make_unique<State>(
      State{operation, type, columns, cpu::make_column_sums(needs_of(operation), type, columns, target)});
}
ColumnAccumulator::ColumnAccumulator(ColumnAccumulator&& other) noexcept = default;
ColumnAccumulator& ColumnAccumulator::operator=(ColumnAccumulator&& other) noexcept = default;
ColumnAccumulator::~ColumnAccumulator() = default;

void ColumnAccumulator::add(const MatrixView& rows) {
  if (rows.columns() != columns() || rows.type() != state_->type)
    refuse(accumulator_prefix, "one for " + text_of(columns(), state_->type) + " was given rows of " +
                                   text_of(rows.columns(), rows.type()));
  state_->check_rows_to_come(rows.rows());
  state_->sums->add(rows, rows.array().size() * size_of(rows.type()) > cached_bytes);
}

void ColumnAccumulator::merge(ColumnAccumulator&& other) {
  if (other.state_->operation != state_->operation || other.state_->type != state_->type ||
      other.columns() != columns())
    refuse(accumulator_prefix, "one for the " + std::string(name_of(state_->operation)) + " of " +
                                   text_of(columns(), state_->type) + " cannot take one for the " +
                                   std::string(name_of(other.state_->operation)) + " of " +
                                   text_of(other.columns(), other.state_->type));
  if (&other == this) refuse(accumulator_prefix, "cannot be merged into itself");
  state_->check_rows_to_come(other.rows());
  state_->sums->merge(*other.state_->sums);
  other.state_.reset();
}

std::int64_t ColumnAccumulator::columns() const { return state_->columns; }
std::int64_t ColumnAccumulator::rows() const { return state_->sums->rows(); }

void ColumnAccumulator::round(const MutableArrayView& out, std::optional<std::int64_t> asked_ddof,
                              Overflow overflow) const {
  const std::int64_t ddof = checked_ddof(state_->operation, asked_ddof);
  validate_result_type(state_->operation, out.type());
  if (out.axes() != 1 || out.size() != columns())
    refuse(accumulator_prefix, "the results of " + std::to_string(columns()) +
                                   " columns do not fit an output of shape " + text_of_shape(out));
  if (columns() == 0) return;
  if (needs_of(state_->operation).extrema && rows() == 0)
    refuse(accumulator_prefix, std::string(name_of(state_->operation)) + ": there is none of no rows");
  Failure failure;
  const AxisReduction reduction = {.operation = state_->operation,
                                   .ddof = ddof,
                                   .terms = {},
                                   .axes = {},
                                   .results = columns(),
                                   .out = out.at(0),
                                   .out_type = out.type(),
                                   .overflow = overflow,
                                   .failure = &failure};
  state_->sums->round(reduction, round_axis_result, out.strides()[0]);
  if (failure.exception) std::rethrow_exception(failure.exception);
}

}  // namespace foldline
