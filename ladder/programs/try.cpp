// foldline-ladder try: a learner's own solution, verified, counted, and shown among the rungs.
#include <fmt/format.h>

#include <cuda_runtime_api.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <simt/program.hpp>
#include <simt/simt.hpp>
#include <stdexcept>

#include "programs/attempt_source.hpp"
#include "programs/attempts.hpp"
#include "programs/commands.hpp"
#include "programs/toolchain.hpp"
#include "runner/backend.hpp"
#include "runner/child.hpp"
#include "runner/run.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder {
namespace {

/// What solve() of a CUDA call left behind is the learner's mistake.
void refuse_errors() {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("solve() leaves an error: ") + cudaGetErrorString(error) + ": " +
                             simt::why_last_error());
}

/// The shared object that the file becomes.
std::filesystem::path compile(const ProgramOptions& options, const Attempt& attempt, const Scratch& scratch) {
  const simt::BuildOptions tools = toolchain(options.compiler);
  const simt::Translation translation = simt::translate_file(options.file, scratch.path(), tools);
  print_notes(translation.notes);
  return simt::build(translation.text + calling_functions(attempt.variants), scratch.path(), tools);
}

/// Those that solve() takes.
std::vector<Attempt::Variant> variants_that_fit(const Attempt& attempt, const ProgramOptions& options) {
  const auto fitting = [&] {
    std::string list;
    for (const Attempt::Variant& variant : attempt.variants) {
      try {
        solution_with(variant.parameters);
        list += variant.parameters + "\n";
      } catch (const Unsupported&) {
      }
    }
    return list;
  };
  const ChildResult found = run_in_child({fitting, options.limits.seconds, options.limits.megabytes});
  if (found.end != ChildResult::End::returned)
    throw std::runtime_error(options.file + " cannot be loaded: " + found.text);
  std::vector<Attempt::Variant> variants;
  for (const Attempt::Variant& variant : attempt.variants)
    if (found.text.find(variant.parameters + "\n") != std::string::npos) variants.push_back(variant);
  if (variants.empty())
    throw std::runtime_error(
        fmt::format("{} defines no `{}`; `foldline ladder new {}` writes a file that does", options.file,
                    attempt.declaration, options.problem));
  return variants;
}

/// "n 513", "rows 3, columns 200, doubles"
std::string name_of(const Params& size, const std::string& type) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, value] :
       {std::pair{"n", size.n}, {"rows", size.rows}, {"inner", size.inner}, {"columns", size.columns}})
    if (value) add(fmt::format("{} {}", name, *value));
  if (!type.empty()) add(type + "s");
  return text;
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

struct AwkwardSize {
  std::string name;
  std::unique_ptr<Instance> instance;
};

std::vector<AwkwardSize> awkward_sizes(const Problem& problem,
                                       const std::vector<Attempt::Variant>& variants) {
  std::vector<AwkwardSize> sizes;
  for (const Attempt::Variant& variant : variants)
    for (Params size : problem.attempt->sizes) {
      size.type = variant.type;
      size.whole_numbers = true;
      size.seed = 1;
      sizes.push_back({name_of(size, variant.type), problem.instances(size).front()()});
    }
  return sizes;
}

/// True if all are right. Prints those that are not.
bool verify_all(const Problem& problem, const std::vector<Attempt::Variant>& variants,
                const Options& options) {
  const std::vector<AwkwardSize> sizes = awkward_sizes(problem, variants);
  std::vector<Work> works;
  for (const AwkwardSize& size : sizes)
    works.push_back({[&] { return as_json(verify(problem, *size.instance, options)).dump(); },
                     *options.time_limit, options.megabytes});
  std::size_t wrong = 0;
  run_in_children(works, rungs_at_once(), [&](std::size_t i, const ChildResult& result) {
    const Outcome outcome = outcome_of(result);
    if (outcome.status == "ok") return;
    ++wrong;
    fmt::print("{}: {}: {}\n", sizes[i].name, outcome.status, outcome.message);
    std::fflush(stdout);
  });
  if (wrong == 0)
    fmt::print("right at all of {} awkward sizes, without a finding\n", sizes.size());
  else
    fmt::print("wrong at {} of {} awkward sizes; it is counted when it is right at all\n", wrong,
               sizes.size());
  return wrong == 0;
}

std::string sentence_of(const Place& place) {
  std::string text = fmt::format("Yours is kernel {} of {}", place.number, place.of);
  if (!place.behind.empty()) text += ", behind " + place.behind;
  if (!place.before.empty()) text += ", in front of " + place.before;
  return text +
         ", by what limits each at least: instructions, one warp's turn after turn, or bytes moved. "
         "Times need a GPU.";
}

/// The table of each type that solve() takes.
int show_among_rungs(const Problem& problem, const std::vector<Attempt::Variant>& variants, Options options,
                     bool json) {
  auto reports = nlohmann::ordered_json::array();
  bool has_failed = false;
  for (const Attempt::Variant& variant : variants) {
    if (!options.params.type.empty() && options.params.type != variant.type) continue;
    Params params = options.params;
    params.type = variant.type;
    for (const auto& make : problem.instances(params)) {
      Report report = run_instance(problem, *make(), options);
      has_failed |= std::ranges::any_of(report.lines, failed);
      const std::optional<Place> place = put_in_place(report, simt::options().device.multiprocessors);
      reports.push_back(as_json(report));
      if (json) continue;
      print(report);
      if (place) fmt::print("{}\n", sentence_of(*place));
      std::fflush(stdout);
    }
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"reports", reports}}.dump(1));
  return has_failed ? 1 : 0;
}

/// For the runner, with the learner's own line behind the others.
Options runner_options(const ProgramOptions& options, const Problem& problem) {
  Options made;
  made.rungs = options.rungs;
  if (!made.rungs.empty()) made.rungs.push_back(problem.rungs.back().name);
  made.params = options.params;
  made.params.seed = options.seed;
  made.params.function = problem.attempt->sizes.front().function;
  made.as = options.device;
  made.time_limit = options.limits.seconds;
  made.megabytes = options.limits.megabytes;
  return made;
}

}  // namespace

int try_solution(const ProgramOptions& options, const std::vector<Problem>& problems) {
  Problem problem = problem_to_solve(problems, options.problem);
  for (const std::string& name : options.rungs) find_rung(problem, name);
  refuse_what_is_not_taken(problem, options.params);
  if (problem.attempt->most_n && options.params.n > problem.attempt->most_n)
    throw BadParam(fmt::format("try {} takes {} elements at most", problem.name, *problem.attempt->most_n));
  problem.rungs.push_back(
      {std::filesystem::path(options.file).filename().string(), Kind::attempt, "attempt.cpp"});
  Options running = runner_options(options, problem);
  prepare(problem, running);
  problem.instances(running.params);  // refuses sizes before anything is compiled
  const Scratch scratch;
  const std::filesystem::path program = compile(options, *problem.attempt, scratch);
  set_solution({finder_in(program, problem.attempt->variants), refuse_errors});
  simt::throw_findings();
  const std::vector<Attempt::Variant> variants = variants_that_fit(*problem.attempt, options);
  if (!verify_all(problem, variants, running)) return 1;
  return show_among_rungs(problem, variants, running, options.json);
}

}  // namespace foldline::ladder
