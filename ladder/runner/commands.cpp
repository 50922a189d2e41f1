#include "runner/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "runner/child.hpp"
#include "runner/gpu.hpp"
#include "runner/measure.hpp"
#include "runner/options.hpp"
#include "runner/report.hpp"
#include "runner/sources.hpp"

namespace foldline::ladder {
namespace {

using Json = nlohmann::ordered_json;

template <class List, class Name>
std::string names(const List& list, Name name) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + std::string(name(item));
  return text;
}

const Problem& find_problem(const std::vector<Problem>& problems, const std::string& name) {
  const auto found = std::ranges::find(problems, name, &Problem::name);
  if (found == problems.end())
    throw BadParam(fmt::format("there is no problem '{}'; there are {}", name,
                               names(problems, [](auto& p) { return p.name; })));
  return *found;
}

const RungInfo& find_rung(const Problem& problem, const std::string& name) {
  const auto found = std::ranges::find(problem.rungs, name, &RungInfo::name);
  if (found == problem.rungs.end())
    throw BadParam(fmt::format("{} has no rung '{}'; it has {}", problem.name, name,
                               names(problem.rungs, [](auto& r) { return r.name; })));
  return *found;
}

/// Throws BadParam for an option that the problem does not take.
void refuse_what_is_not_taken(const Problem& problem, const Params& params) {
  const std::vector<std::pair<std::string, bool>> made = {{"n", params.n.has_value()},
                                                          {"rows", params.rows.has_value()},
                                                          {"columns", params.columns.has_value()},
                                                          {"inner", params.inner.has_value()},
                                                          {"block", params.block.has_value()},
                                                          {"type", !params.type.empty()},
                                                          {"function", !params.function.empty()},
                                                          {"shapes", params.textbook_shapes}};
  for (const auto& [option, is_made] : made)
    if (is_made && std::ranges::find(problem.takes, option) == problem.takes.end())
      throw BadParam(fmt::format("{} does not take --{}, but {}", problem.name, option,
                                 names(problem.takes, [](auto& taken) { return "--" + taken; })));
}

void list(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    fmt::print("{}: {}\n", problem.name, problem.about);
    for (const RungInfo& rung : problem.rungs)
      fmt::print("  {:<32} {}\n", rung.name, idea_of(source_of(problem.name, rung.file)).substr(6));
  }
}

Outcome run_here(const Problem& problem, const Instance& instance, std::size_t rung, int rounds) {
  Outcome outcome;
  try {
    outcome = measure(*instance.set_up(rung), problem.rungs[rung].on_gpu, rounds);
  } catch (const Unsupported& reason) {
    outcome.status = "not here";
    outcome.message = reason.what();
  } catch (const std::exception& error) {
    outcome.status = "failed";
    outcome.message = error.what();
  }
  return outcome;
}

Outcome run_rung(const Problem& problem, const Instance& instance, std::size_t rung, const Options& options) {
  const auto here = [&] { return run_here(problem, instance, rung, options.rounds); };
  if (options.in_process) return here();
  const ChildResult result = run_in_child([&] { return as_json(here()).dump(); }, options.time_limit);
  if (result.end == ChildResult::End::returned) return outcome_from(nlohmann::json::parse(result.text));
  Outcome outcome;
  outcome.status = result.end == ChildResult::End::crashed ? "crashed" : "timed out";
  outcome.message = result.text;
  return outcome;
}

Report run_instance(const Problem& problem, const Instance& instance, const Options& options) {
  Report report{problem.name, instance.title(), problem.unit, instance.work(), {}};
  for (std::size_t i = 0; i < problem.rungs.size(); ++i) {
    const RungInfo& rung = problem.rungs[i];
    if (!options.rungs.empty() && std::ranges::find(options.rungs, rung.name) == options.rungs.end())
      continue;
    report.lines.push_back({rung, run_rung(problem, instance, i, options)});
  }
  return report;
}

/// True if anything failed, or a rung that was requested by name cannot run here.
bool disappoints(const Report& report, const Options& options) {
  return std::ranges::any_of(report.lines, [&](const Line& line) {
    return failed(line) || (!options.rungs.empty() && line.outcome.status == "not here");
  });
}

int run(const Problem& problem, const Options& options) {
  for (const std::string& name : options.rungs) find_rung(problem, name);
  refuse_what_is_not_taken(problem, options.params);
  const auto instances = problem.instances(options.params);
  if (options.in_process && instances.size() != 1)
    throw BadParam(
        "--in-process takes one size and one type: rungs keep things for as long as their process lives");
  Json json = {{"seed", options.params.seed}, {"rounds", options.rounds}};
  if (problem.needs_gpu) {
    const Gpu gpu = find_gpu(options.time_limit);
    if (!gpu.missing.empty()) {
      fmt::print(stderr, "foldline-ladder: {} runs on an NVIDIA GPU, and {}\n", problem.name, gpu.missing);
      return 1;
    }
    if (!options.json)
      fmt::print("{}, {} multiprocessors, L2 {} MiB, driver {}; seed {}, {} rounds, more of short ones\n",
                 gpu.name, gpu.multiprocessors, gpu.l2_bytes >> 20, gpu.driver, options.params.seed,
                 options.rounds);
    json["gpu"] = {{"name", gpu.name},
                   {"multiprocessors", gpu.multiprocessors},
                   {"l2_bytes", gpu.l2_bytes},
                   {"driver", gpu.driver}};
  }
  bool disappointed = false;
  auto reports = Json::array();
  for (const auto& make : instances) {
    const Report report = run_instance(problem, *make(), options);
    if (!options.json) print(report);
    std::fflush(stdout);
    disappointed |= disappoints(report, options);
    reports.push_back(as_json(report));
  }
  json["reports"] = reports;
  if (options.json) fmt::print("{}\n", json.dump(1));
  return disappointed ? 1 : 0;
}

int run(const std::vector<Problem>& problems, const Options& options) {
  if (options.command == Options::Command::list && options.problem.empty()) {
    list(problems);
    return 0;
  }
  const Problem& problem = find_problem(problems, options.problem);
  const auto source = [&](std::size_t i) {
    return source_of(problem.name, find_rung(problem, options.rungs[i]).file).text;
  };
  switch (options.command) {
    case Options::Command::list:
      list({problem});
      return 0;
    case Options::Command::show:
      fmt::print("{}", source(0));
      return 0;
    case Options::Command::diff:
      fmt::print("{}", diff(source(0), source(1)));
      return 0;
    case Options::Command::run:
      break;
  }
  return run(problem, options);
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Problem>& problems) {
  try {
    int status = 0;
    const auto options = parse(argc, argv, status);
    if (options) status = run(problems, *options);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
    return status;
  } catch (const BadParam& error) {
    fmt::print(stderr, "foldline-ladder: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldline-ladder: {}\n", error.what());
    return 1;
  }
}

}  // namespace foldline::ladder
