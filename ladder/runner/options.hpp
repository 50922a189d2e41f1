// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/problem.hpp"

namespace CLI {
class App;
}

namespace foldline::ladder {

struct Options {
  enum class Command { list, run, show, diff, results } command = Command::list;
  std::string problem;
  std::vector<std::string> rungs;  ///< run: which rungs, all if empty; show and diff: one and two
  Params params;
  int rounds = 11;
  std::optional<double> time_limit;
  std::int64_t megabytes = 0;  ///< of memory with which a rung is ended; 0: no limit
  bool counts = false;         ///< show: with what the rung does in each line
  bool json = false;           ///< one JSON object rather than tables
  bool simulate = false;       ///< even if there is a GPU
  std::string as;              ///< which GPU is simulated; empty: not said
  std::string gpu = "h200";    ///< results: of which GPU
  bool in_process = false;     ///< rungs run in this process, one size only
  bool sample = false;         ///< run: some blocks of each launch only, in the simulator
  bool trace = false;          ///< run: shows the steps of the first block of one simulated rung
  std::int64_t trace_steps = 40;
};

/// Adds the options for sizes.
void add_sizes(CLI::App& command, Params& params);
/// Adds -I and -D of a learner's source.
void add_compiler_options(CLI::App& command, std::vector<std::string>& options);

/// Parses the command line. Returns none if there is nothing more to do (help); `status` is then the exit
/// status.
std::optional<Options> parse(int argc, char** argv, int& status);

}  // namespace foldline::ladder
