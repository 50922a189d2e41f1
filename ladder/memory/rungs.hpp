// The demonstrations of memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/bench.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder::memory {

struct Rung {
  RungInfo info;
  void (*run)(Bench& bench);
  /// The expected result i.
  int (*expected)(std::int64_t i);
  /// Tables of the counted cycles; may be null.
  std::vector<Table> (*tables)(const std::vector<float>& cycles) = nullptr;
  /// What the text's own program prints of the results; may be null.
  std::string (*printed)(const std::vector<int>& results) = nullptr;
  /// Bytes read and written per element (Bench::n); 0 if the time is irrelevant.
  int bytes_per_element = 0;
};

const std::vector<Rung>& rungs();

}  // namespace foldline::ladder::memory
