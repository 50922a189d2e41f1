// The state of an Accumulator.
#pragma once

#include <optional>

#include "contract/moments.hpp"
#include "foldline/accumulator.hpp"
#include "foldline/plan.hpp"

namespace foldline {

/// A plan, and the block that it is for.
struct BlockPlan {
  ElementType type;
  std::int64_t size;
  Context context;
  Plan plan;
};

struct Accumulator::State {
  Operation operation;
  Moments moments;
  std::optional<BlockPlan> last = {};
};

}  // namespace foldline
