// The outcome of a rung, passed from the process that ran it to the one that prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder {

/// Microseconds.
struct Times {
  double median = 0, lowest = 0, highest = 0;
};

/// Accesses of one kind, counted by warps.
struct Requests {
  std::int64_t requests = 0;
  std::int64_t lanes = 0;  ///< that took part, summed over requests
  std::int64_t bytes = 0;  ///< that they asked for
  /// What memory takes them in: sectors of global memory, turns of shared and constant memory.
  std::int64_t parts = 0;
  std::int64_t ideal_parts = 0;  ///< if the same bytes were side by side
};

/// What the kernels of a run did in the simulator.
struct Counts {
  std::int64_t launches = 0, blocks = 0, warps = 0, threads = 0;
  std::int64_t instructions = 0;  ///< of warps, estimated
  std::int64_t branches = 0, divergent_branches = 0, barriers = 0;
  Requests loads, stores, atomics;  ///< of global memory
  Requests shared, constants, textures;
  std::int64_t sector_bytes = 0;  ///< of the simulated device
};

/// What they did in one line of a source.
struct LineCounts {
  std::string file;
  int line = 0;
  Counts counts;
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
  std::string printed;           ///< Workbench::printed
  std::optional<Counts> counts;  ///< in place of times and what follows from them, if the run was simulated
};

nlohmann::json as_json(const Outcome& outcome);
Outcome outcome_from(const nlohmann::json& json);

}  // namespace foldline::ladder
