// What the two programs of the ladder do differently: foldline-ladder runs kernels in a simulator, and
// foldline-ladder-cuda on a GPU. Each has functions of its own for this.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "runner/options.hpp"
#include "runner/outcome.hpp"
#include "runner/problem.hpp"
#include "runner/report.hpp"

namespace foldline::ladder {

/// Gives way to the other program where it is the better one; does not return then.
void hand_over(const Options& options, char** arguments);

/// The exit status of a command that the other program does not have; nothing if it is none of these.
std::optional<int> run_own_command(int argc, char** argv, const std::vector<Problem>& problems);
/// For the help.
const char* about_own_commands();

/// True for the program that simulates: its outcomes have counts instead of times.
bool simulates();

/// Before rungs run: completes the options, and returns what JSON says about the device. Throws
/// std::runtime_error if the problem cannot be run here.
nlohmann::ordered_json prepare(const Problem& problem, Options& options);

/// How many rungs may run at the same time.
std::size_t rungs_at_once();

/// Runs a rung: verifies it, and measures or counts. `on_gpu`: RungInfo::on_gpu.
Outcome run_bench(Workbench& bench, bool on_gpu, const Options& options);

/// What one run of a rung did in each line of its kernels. Throws std::runtime_error if only the other
/// program can say.
std::vector<LineCounts> count_lines(Workbench& bench);

/// What the launches of the last run in this process did step by step, if Options::trace has asked for it.
void print_trace();

/// The table of a problem.
void print(const Report& report);

}  // namespace foldline::ladder
