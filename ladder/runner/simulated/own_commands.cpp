// Commands for sources that the ladder does not have: they are compiled for the simulator.
#include "programs/commands.hpp"
#include "runner/backend.hpp"

namespace foldline::ladder {

std::optional<int> run_own_command(int argc, char** argv) {
  if (!is_program_command(argc, argv)) return std::nullopt;
  return run_program_command(argc, argv);
}

const char* about_own_commands() {
  return "For sources of your own, see --help of each:\n"
         "  exec      run a whole CUDA program in the simulator, checked and counted\n"
         "  check     look for mistakes in the kernels of a file";
}

}  // namespace foldline::ladder
