// Runs one of the commands of options.hpp.
#pragma once

#include <vector>

#include "programs/options.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder {

/// For the command line of one of them. Returns the exit status.
int run_program_command(int argc, char** argv, const std::vector<Problem>& problems);

/// Each returns its exit status, and throws std::runtime_error for what is no finding.
int execute(const ProgramOptions& options);
int check_kernels(const ProgramOptions& options);
int write_start(const ProgramOptions& options, const std::vector<Problem>& problems);
int try_solution(const ProgramOptions& options, const std::vector<Problem>& problems);

/// Sets device, order and seed of the simulator.
void choose_simulation(const ProgramOptions& options);

}  // namespace foldline::ladder
