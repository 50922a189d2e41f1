// What an Accumulator points to.
#pragma once

#include "contract/moments.hpp"
#include "foldline/accumulator.hpp"

namespace foldline {

struct Accumulator::State {
  Operation operation;
  Moments moments;
};

}  // namespace foldline
