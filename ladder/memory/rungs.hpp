// The demonstrations of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/bench.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder::memory {

struct Rung {
  RungInfo info;
  void (*run)(Bench& bench);
  /// The expected result i.
  int (*expected)(std::int64_t i);
  /// A table of the counted cycles; may be null.
  Table (*table)(const std::vector<float>& cycles);
  /// Bytes read and written per element (Bench::n); 0 if the time is irrelevant.
  int bytes_per_element = 0;
};

const std::vector<Rung>& rungs();

}  // namespace foldline::ladder::memory
