// A learner's own solution of a problem: what `new` and `try` do in both programs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/options.hpp"
#include "runner/problem.hpp"
#include "runner/report.hpp"

namespace foldline::ladder {

/// Throws BadParam, also for a problem that is no single task, with those that are.
const Problem& problem_to_solve(const std::vector<Problem>& problems, const std::string& name);

/// The command line of `try`.
struct Trial {
  std::string problem, file;
  std::vector<std::string> rungs;     ///< beside these, all if empty
  std::vector<std::string> compiler;  ///< options: -I, -D
  Params params;                      ///< of the table
  bool json = false;
};

/// Adds its options.
void add_trial(CLI::App& command, Trial& trial);

/// The problem with a line for the learner's file behind its rungs. Throws BadParam for rungs and sizes that
/// it does not have.
Problem problem_with_own_line(const std::vector<Problem>& problems, const Trial& trial);

/// For the runner, with that line among the rungs.
Options runner_options(const Problem& problem, const Trial& trial);

/// The types that the loaded solve() takes. Throws std::runtime_error if it takes none.
std::vector<Attempt::Variant> variants_that_fit(const Problem& problem, const Trial& trial,
                                                const Options& options);

/// True if solve() is right at all awkward sizes. Prints those at which it is not.
bool is_right(const Problem& problem, const std::vector<Attempt::Variant>& variants, const Options& options,
              const std::function<Outcome(const Instance&)>& verify);

/// Moves the learner's line in front of the first kernel whose cost is less than its own, and says between
/// which it stands; nothing if it did not run.
std::optional<std::string> put_in_place(Report& report, const std::function<double(const Line&)>& cost);

/// The tables of all types that solve() takes, or one JSON object. `place` moves the learner's line and
/// returns the sentence below the table. The exit status: 1 if a rung has failed.
int show_among_rungs(const Problem& problem, const std::vector<Attempt::Variant>& variants,
                     const Options& options, bool json,
                     const std::function<std::optional<std::string>(Report&)>& place);

}  // namespace foldline::ladder
