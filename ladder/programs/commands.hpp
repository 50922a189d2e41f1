// Runs one of the commands of options.hpp.
#pragma once

#include "programs/options.hpp"

namespace foldline::ladder {

/// For the command line of one of them. Returns the exit status.
int run_program_command(int argc, char** argv);

/// Each returns its exit status, and throws std::runtime_error for what is no finding.
int execute(const ProgramOptions& options);
int check_kernels(const ProgramOptions& options);

/// Sets device, order and seed of the simulator.
void choose_simulation(const ProgramOptions& options);

}  // namespace foldline::ladder
