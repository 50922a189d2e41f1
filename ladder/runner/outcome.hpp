// The outcome of a rung, passed from the process that ran it to the one that prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder {

/// Microseconds.
struct Times {
  double median = 0, lowest = 0, highest = 0;
};

struct Outcome {
  std::string status;  ///< "ok", "wrong", "not here", "failed", "crashed" or "timed out"
  std::string message;
  Check check;
  bool repeatable = true;
  Times cold;             ///< by events around start(), with caches full of other data
  Times warm;             ///< the same right after a run
  Times total;            ///< by the host's clock, from start() to the end of finish()
  double input = 0;       ///< the copies of the input to the GPU, once, from pageable memory
  std::int64_t work = 0;  ///< Workbench::work
  std::int64_t grid = 0;
  int block = 0, kernels = 0, registers = 0;
  std::int64_t shared_bytes = 0;
  double occupancy = 0;  ///< warps that fit on a multiprocessor, over the most it can hold
  std::vector<Table> tables;
};

nlohmann::json as_json(const Outcome& outcome);
Outcome outcome_from(const nlohmann::json& json);

}  // namespace foldline::ladder
