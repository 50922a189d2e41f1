// The state of an Accumulator.
#pragma once

#include "contract/moments.hpp"
#include "foldline/accumulator.hpp"

namespace foldline {

struct Accumulator::State {
  Operation operation;
  Moments moments;
};

}  // namespace foldline
