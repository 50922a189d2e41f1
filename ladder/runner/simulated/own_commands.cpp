// Commands for sources that the ladder does not have: they are compiled for the simulator.
#include "programs/commands.hpp"
#include "runner/backend.hpp"

namespace foldline::ladder {

std::optional<int> run_own_command(int argc, char** argv, const std::vector<Problem>& problems) {
  if (!is_program_command(argc, argv)) return std::nullopt;
  return run_program_command(argc, argv, problems);
}

const char* about_own_commands() {
  return "For sources of your own, see --help of each:\n"
         "  exec      run a whole CUDA program in the simulator, checked and counted\n"
         "  check     look for mistakes in the kernels of a file\n"
         "  new       write a file to begin with: your own solution of a problem\n"
         "  try       verify it, count what it does, and show it among the rungs";
}

}  // namespace foldline::ladder
