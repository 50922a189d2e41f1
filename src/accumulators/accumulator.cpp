// Accumulator: Moments behind the public interface.
#include "foldline/accumulator.hpp"

#include <string>

#include "accumulators/accumulator_state.hpp"
#include "api/dispatch.hpp"
#include "api/mixed_pairs.hpp"
#include "api/validate.hpp"
#include "foldline/error.hpp"
#include "results/results.hpp"

namespace foldline {

namespace {

/// Whether an accumulator for `own` holds what `asked` needs.
bool can_answer(Operation own, Operation asked) {
  if (asked == Operation::statistics || name_of(asked) == "unknown") return false;
  return own == asked ||
         (!takes_two_vectors(own) && !takes_two_vectors(asked) && needs_of(own).include(needs_of(asked)));
}

void check_question(Operation own, Operation asked, std::int64_t count) {
  if (!can_answer(own, asked))
    throw InvalidArgument("an accumulator for " + std::string(name_of(own)) + " cannot give the " +
                          std::string(name_of(asked)) +
                          (own == Operation::statistics ? "; name one of the operations on one vector" : ""));
  if (count == 0 && needs_of(asked).extrema && own != Operation::statistics)
    throw InvalidArgument(std::string(name_of(asked)) + ": there is none of an empty vector");
}

/// The plan for a block: that of the last block if both are alike, unless it depends on OpenMP's threads,
/// whose number may have changed.
Plan plan_block(Operation operation, const VectorView& x, const Context& context,
                std::optional<BlockPlan>& last) {
  const bool is_alike = context.execution.threads > 0 && last && last->type == x.type() &&
                        last->size == x.size() &&
                        last->context.execution.threads == context.execution.threads &&
                        last->context.accuracy == context.accuracy &&
                        last->context.execution.target == context.execution.target &&
                        last->context.execution.device == context.execution.device;
  if (!is_alike)
    last = {x.type(), x.size(), context, on_present_device(plan(operation, x.type(), x.size(), context))};
  return last->plan;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw InvalidArgument("accumulator: more than 2^63 - 1 elements were added");
  return sum;
}

}  // namespace

Accumulator::Accumulator(Operation operation) : state_(std::make_unique<State>(State{operation, {}})) {
  if (name_of(operation) == "unknown") throw InvalidArgument("accumulator: unknown operation");
}
Accumulator::Accumulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Accumulator::Accumulator(const Accumulator& other) : state_(std::make_unique<State>(*other.state_)) {}
Accumulator::Accumulator(Accumulator&& other) noexcept = default;
Accumulator& Accumulator::operator=(const Accumulator& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Accumulator& Accumulator::operator=(Accumulator&& other) noexcept = default;
Accumulator::~Accumulator() = default;

void Accumulator::add(const VectorView& x, const Context& context) {
  validate(operation(), x);
  checked_sum(count(), x.size());
  reduce({.needs = needs_of(operation()), .x = x, .y = {}, .two_vectors = false},
         plan_block(operation(), x, context, state_->last), context, state_->moments);
}

void Accumulator::add(const VectorView& x, const VectorView& y, const Context& context) {
  validate(operation(), x, y);
  checked_sum(count(), x.size());
  reduce_pairs(operation(), x, y, context, state_->moments);
}

void Accumulator::merge(const Accumulator& other) {
  if (other.operation() != operation())
    throw InvalidArgument("accumulator: one for " + std::string(name_of(other.operation())) +
                          " cannot be merged into one for " + std::string(name_of(operation())));
  checked_sum(count(), other.count());
  if (this == &other) {
    const Accumulator copy(other);  // NOLINT(performance-unnecessary-copy-initialization)
    state_->moments.merge(copy.state_->moments);
  } else {
    state_->moments.merge(other.state_->moments);
  }
}

Operation Accumulator::operation() const { return state_->operation; }
std::int64_t Accumulator::count() const { return state_->moments.count; }

Scalar Accumulator::rounded(Operation asked, ElementType type, std::optional<std::int64_t> ddof,
                            Overflow overflow) const {
  check_question(operation(), asked, count());
  validate_result_type(asked, type);
  return rounded_result(state_->moments, asked, type, checked_ddof(asked, ddof), overflow);
}

std::string Accumulator::exact(Operation asked, std::optional<std::int64_t> ddof) const {
  check_question(operation(), asked, count());
  return exact_result(state_->moments, asked, checked_ddof(asked, ddof));
}

}  // namespace foldline
