// A scan that begins with what an accumulator holds.
#include <string>

#include "accumulators/accumulator_state.hpp"
#include "api/running_scan_state.hpp"
#include "api/validate.hpp"

namespace foldline {

RunningScan::RunningScan(ScanKind kind, const Accumulator& before)
    : state_(std::make_unique<State>(State{kind, {}})) {
  const Operation operation = before.operation();
  if (!needs_of(operation).values || takes_two_vectors(operation))
    refuse("RunningScan", "an accumulator for " + std::string(name_of(operation)) +
                              " has no sum of its elements; give one for sum, mean, variance or statistics");
  state_->sums.add(before.state_->moments);
  // A sum of nothing is +0, and an inclusive scan has an element before its first result.
  if (kind == ScanKind::exclusive && before.count() == 0) state_->sums.only_negative_zeros = false;
}

}  // namespace foldline
