// What an Accumulator points to.
#pragma once

#include "foldline/accumulator.hpp"
#include "moments.hpp"

namespace foldline {

struct Accumulator::State {
  Operation operation;
  Moments moments;
};

}  // namespace foldline
