// What is shown of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/bench.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder::memory {

struct Rung {
  RungInfo info;
  void (*run)(Bench& bench);
  /// What result i should be.
  int (*expected)(std::int64_t i);
  /// The cycles that were counted, as a table; may be null.
  Table (*table)(const std::vector<float>& cycles);
  /// Bytes that are read and written for each of Bench::n; 0 if the time is of no interest.
  int bytes_per_element = 0;
};

const std::vector<Rung>& rungs();

}  // namespace foldline::ladder::memory
