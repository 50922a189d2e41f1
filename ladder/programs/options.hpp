// The commands for sources that the ladder does not have: exec, check, new and try.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "programs/limited.hpp"
#include "runner/attempts.hpp"

namespace foldline::ladder {

struct ProgramOptions {
  enum class Command { exec, check, begin, attempt } command = Command::exec;
  std::string file;
  std::vector<std::string> arguments;  ///< exec: of the program
  std::vector<std::string> compiler;   ///< of clang: -I, -D
  std::string device, order = "forward";
  std::uint64_t seed = 1;
  Limits limits;
  bool quiet = false;
  bool unchecked = false;  ///< exec: no checks and no counts

  std::string kernel;  ///< check: this one only
  std::int64_t n = 1000;
  std::string block = "256", grid;
  std::optional<std::int64_t> shared_bytes;
  std::vector<std::string> values;  ///< check: NAME=VALUE

  std::string problem;  ///< new
  Trial trial;          ///< try

  bool trace = false;  ///< exec: with the steps of the first launch of each kernel
  std::int64_t trace_steps = 40;
};

/// True if the command line is one of these.
bool is_program_command(int argc, char** argv);

/// None if there is nothing more to do (help, or a mistake); `status` is then the exit status.
std::optional<ProgramOptions> parse_program_command(int argc, char** argv, int& status);

}  // namespace foldline::ladder
