// foldline-ladder try: a learner's own solution, verified, counted, and shown among the rungs; timed where
// there is a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <simt/device_memory.hpp>
#include <simt/program.hpp>
#include <simt/simt.hpp>

#include "compile/process.hpp"
#include "programs/commands.hpp"
#include "programs/toolchain.hpp"
#include "runner/attempt_source.hpp"
#include "runner/attempts.hpp"
#include "runner/backend.hpp"
#include "runner/nvcc.hpp"
#include "runner/run.hpp"
#include "runner/scratch.hpp"
#include "runner/simulated/hand_over.hpp"

namespace foldline::ladder {
namespace {

/// The shared object that the file becomes.
std::filesystem::path compile(const Trial& trial, const Attempt& attempt, const Scratch& scratch) {
  const simt::BuildOptions tools = toolchain(trial.compiler);
  const simt::Translation translation = simt::translate_file(trial.file, scratch.path(), tools);
  print_notes(translation.notes);
  return simt::build(translation.text + calling_functions(attempt.variants), scratch.path(), tools);
}

/// With all checks, in several orders of its blocks; the first outcome that is not right.
Outcome verify(const Problem& problem, const Instance& instance, const Options& options) {
  Outcome outcome;
  for (const auto& [order, seed] :
       {std::pair{simt::Order::in_order, 1}, {simt::Order::hostile, 1}, {simt::Order::hostile, 2}}) {
    simt::options().order = order;
    simt::options().seed = static_cast<std::uint64_t>(seed);
    outcome = run_here(problem, instance, problem.rungs.size() - 1, options);
    if (outcome.status != "ok") break;
  }
  return outcome;
}

/// Clock cycles that no device of this kind can go below: four instructions a cycle and multiprocessor; one
/// instruction after another in a warp, each for some cycles; and the bytes that pass between a
/// multiprocessor and the caches, which all share.
double bound_of(const Line& line) {
  constexpr double issued_a_cycle = 4, cycles_of_an_instruction = 4, bytes_a_cycle = 64;
  const Counts& c = *line.outcome.counts;
  const int multiprocessors = simt::options().device.multiprocessors;
  const auto instructions = static_cast<double>(c.instructions);
  const double moved = static_cast<double>(
      (c.loads.parts + c.stores.parts + c.atomics.parts + c.textures.parts) * c.sector_bytes);
  const double issue = instructions / (issued_a_cycle * multiprocessors);
  const double one_warp =
      instructions / static_cast<double>(std::max<std::int64_t>(c.warps, 1)) * cycles_of_an_instruction;
  return std::max({issue, one_warp, moved / (bytes_a_cycle * multiprocessors)});
}

std::optional<std::string> place_by_bound(Report& report) {
  const auto sentence = put_in_place(report, bound_of);
  if (!sentence) return std::nullopt;
  return *sentence +
         ", by what limits each at least: instructions, one warp's turn after turn, or bytes moved. "
         "Times need a GPU.";
}

/// What foldline-ladder-cuda makes of the same command line.
int time_on_gpu(const std::filesystem::path& program, const Trial& trial) {
  std::vector<std::string> words = {program.string(), "try", trial.problem, trial.file};
  for (const std::string& rung : trial.rungs) words.insert(words.end(), {"--rung", rung});
  words.insert(words.end(), trial.compiler.begin(), trial.compiler.end());
  const Params& size = trial.params;
  for (const auto& [name, value] : {std::pair{"--n", size.n},
                                    {"--rows", size.rows},
                                    {"--inner", size.inner},
                                    {"--columns", size.columns}})
    if (value) words.insert(words.end(), {name, std::to_string(*value)});
  if (!size.type.empty()) words.insert(words.end(), {"--type", size.type});
  if (size.textbook) words.insert(words.end(), {"--data", "textbook"});
  std::fflush(nullptr);
  return simt::run_process(words);
}

}  // namespace

int try_solution(const ProgramOptions& options, const std::vector<Problem>& problems) {
  const Trial& trial = options.trial;
  const Problem problem = problem_with_own_line(problems, trial);
  Options running = runner_options(problem, trial);
  running.params.seed = options.seed;
  running.as = options.device;
  running.time_limit = options.limits.seconds;
  running.megabytes = options.limits.megabytes;
  prepare(problem, running);
  problem.instances(running.params);  // refuses sizes before anything is compiled
  const Scratch scratch;
  const auto only_learners_code_runs = [] { simt::refuse_host_access(); };
  const auto why = [] { return ": " + simt::why_last_error(); };
  set_solution(solution_in(compile(trial, *problem.attempt, scratch), problem.attempt->variants,
                           {only_learners_code_runs, why}));
  simt::throw_findings();
  const auto variants = variants_that_fit(problem, trial, running);
  const auto verify_one = [&](const Instance& instance) { return verify(problem, instance, running); };
  if (!is_right(problem, variants, running, verify_one)) return 1;
  const int status = show_among_rungs(problem, variants, running, trial.json, place_by_bound);
  const std::filesystem::path program = trial.json || status != 0 ? "" : program_for_gpu();
  if (program.empty()) return status;
  if (find_nvcc().empty()) {
    fmt::print(stderr, "There is a GPU, but no nvcc to compile {} for it: it is not timed\n", trial.file);
    return status;
  }
  return time_on_gpu(program, trial);
}

}  // namespace foldline::ladder
