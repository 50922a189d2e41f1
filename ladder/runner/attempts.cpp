#include "runner/attempts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "runner/backend.hpp"
#include "runner/child.hpp"
#include "runner/run.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder {
namespace {

bool is_step(const Line& line) {
  if (line.rung.kind != Kind::rung || !line.rung.on_gpu || !ran(line)) return false;
  return !line.outcome.counts || line.outcome.counts->launches > 0;
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

}  // namespace

const Problem& problem_to_solve(const std::vector<Problem>& problems, const std::string& name) {
  const Problem& problem = find_problem(problems, name);
  if (problem.attempt) return problem;
  std::vector<RungInfo> solvable;
  for (const Problem& other : problems)
    if (other.attempt) solvable.push_back({other.name, Kind::rung, ""});
  throw BadParam(name + " is no single task that a file could solve; these are: " + names_of(solvable));
}

void add_trial(CLI::App& command, Trial& trial) {
  command.add_option("problem", trial.problem, "see list")->required();
  command.add_option("file.cu", trial.file, "a source with solve(), as new writes one")
      ->required()
      ->check(CLI::ExistingFile);
  command.add_option("--rung", trial.rungs, "rungs to show beside it; default: all");
  add_compiler_options(command, trial.compiler);
  add_sizes(command, trial.params);
  command.add_option("--type", trial.params.type, "float or double, where a problem has both")
      ->check(CLI::IsMember({"float", "double"}));
  command.add_flag("--json", trial.json, "print one JSON object instead of the table");
}

Problem problem_with_own_line(const std::vector<Problem>& problems, const Trial& trial) {
  Problem problem = problem_to_solve(problems, trial.problem);
  for (const std::string& name : trial.rungs) find_rung(problem, name);
  refuse_what_is_not_taken(problem, trial.params);
  if (problem.attempt->most_n && trial.params.n > problem.attempt->most_n)
    throw BadParam(fmt::format("try {} takes {} elements at most", problem.name, *problem.attempt->most_n));
  problem.rungs.push_back(
      {std::filesystem::path(trial.file).filename().string(), Kind::attempt, "attempt.cpp"});
  return problem;
}

Options runner_options(const Problem& problem, const Trial& trial) {
  Options options;
  options.rungs = trial.rungs;
  if (!options.rungs.empty()) options.rungs.push_back(problem.rungs.back().name);
  options.params = trial.params;
  options.params.function = problem.attempt->sizes.front().function;
  return options;
}

std::vector<Attempt::Variant> variants_that_fit(const Problem& problem, const Trial& trial,
                                                const Options& options) {
  const Attempt& attempt = *problem.attempt;
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
  const ChildResult found = run_in_child({fitting, *options.time_limit, options.megabytes});
  if (found.end != ChildResult::End::returned)
    throw std::runtime_error(trial.file + " cannot be loaded: " + found.text);
  std::vector<Attempt::Variant> variants;
  for (const Attempt::Variant& variant : attempt.variants)
    if (found.text.find(variant.parameters + "\n") != std::string::npos) variants.push_back(variant);
  if (variants.empty())
    throw std::runtime_error(
        fmt::format("{} defines no `{}`; `foldline ladder new {}` writes a file that does", trial.file,
                    attempt.declaration, problem.name));
  return variants;
}

bool is_right(const Problem& problem, const std::vector<Attempt::Variant>& variants, const Options& options,
              const std::function<Outcome(const Instance&)>& verify) {
  const std::vector<AwkwardSize> sizes = awkward_sizes(problem, variants);
  std::vector<Work> works;
  for (const AwkwardSize& size : sizes)
    works.push_back(
        {[&] { return as_json(verify(*size.instance)).dump(); }, *options.time_limit, options.megabytes});
  std::size_t wrong = 0;
  run_in_children(works, rungs_at_once(), [&](std::size_t i, const ChildResult& result) {
    const Outcome outcome = outcome_of(result);
    if (outcome.status == "ok") return;
    ++wrong;
    fmt::print("{}: {}: {}\n", sizes[i].name, outcome.status, outcome.message);
    std::fflush(stdout);
  });
  if (wrong != 0)
    fmt::print("wrong at {} of {} awkward sizes; it is {} when it is right at all\n", wrong, sizes.size(),
               simulates() ? "counted" : "timed");
  else
    fmt::print("right at all of {} awkward sizes{}\n", sizes.size(),
               simulates() ? ", without a finding" : " on the GPU");
  return wrong == 0;
}

std::optional<std::string> put_in_place(Report& report, const std::function<double(const Line&)>& cost) {
  const auto own =
      std::ranges::find(report.lines, Kind::attempt, [](const Line& line) { return line.rung.kind; });
  if (own == report.lines.end() || !ran(*own)) return std::nullopt;
  const Line line = *own;
  report.lines.erase(own);
  int number = 1, of = 1;
  std::string behind, before;  // empty at the ends
  auto place = report.lines.begin();
  bool is_placed = false;
  for (auto step = report.lines.begin(); step != report.lines.end(); ++step) {
    if (!is_step(*step)) continue;
    ++of;
    if (is_placed) continue;
    is_placed = cost(*step) < cost(line);
    (is_placed ? before : behind) = step->rung.name;
    place = is_placed ? step : step + 1;
    if (!is_placed) ++number;
  }
  report.lines.insert(place, line);
  std::string text = fmt::format("Yours is kernel {} of {}", number, of);
  if (!behind.empty()) text += ", behind " + behind;
  if (!before.empty()) text += ", in front of " + before;
  return text;
}

int show_among_rungs(const Problem& problem, const std::vector<Attempt::Variant>& variants,
                     const Options& options, bool json,
                     const std::function<std::optional<std::string>(Report&)>& place) {
  auto reports = nlohmann::ordered_json::array();
  bool has_failed = false;
  for (const Attempt::Variant& variant : variants) {
    if (!options.params.type.empty() && options.params.type != variant.type) continue;
    Params params = options.params;
    params.type = variant.type;
    for (const auto& make : problem.instances(params)) {
      Report report = run_instance(problem, *make(), options);
      has_failed |= std::ranges::any_of(report.lines, failed);
      const std::optional<std::string> sentence = place(report);
      reports.push_back(as_json(report));
      if (json) continue;
      print(report);
      if (sentence) fmt::print("{}\n", *sentence);
      std::fflush(stdout);
    }
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"reports", reports}}.dump(1));
  return has_failed ? 1 : 0;
}

}  // namespace foldline::ladder
