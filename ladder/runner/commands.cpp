#include "runner/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "cli/suggest.hpp"
#include "runner/backend.hpp"
#include "runner/child.hpp"
#include "runner/options.hpp"
#include "runner/records.hpp"
#include "runner/report.hpp"
#include "runner/show.hpp"
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

/// The item of that name. Throws BadParam, `missing` and what there is instead, if there is none.
template <class List, class Name>
const auto& find(const List& list, const std::string& wanted, Name name, const std::string& missing) {
  const auto found = std::ranges::find(list, wanted, name);
  if (found != list.end()) return *found;
  std::vector<std::string> there;
  for (const auto& item : list) there.push_back(item.*name);
  const std::string nearest = cli::suggestion(wanted, there);
  throw BadParam(
      missing + (nearest.empty() ? "; there are " + names(list, [&](auto& i) { return i.*name; }) : nearest));
}

const Problem& find_problem(const std::vector<Problem>& problems, const std::string& name) {
  return find(problems, name, &Problem::name, "there is no problem '" + name + "'");
}

const RungInfo& find_rung(const Problem& problem, const std::string& name) {
  return find(problem.rungs, name, &RungInfo::name, problem.name + " has no rung '" + name + "'");
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
                                                          {"data", params.textbook}};
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

Outcome run_here(const Problem& problem, const Instance& instance, std::size_t rung, const Options& options) {
  Outcome outcome;
  try {
    outcome = run_bench(*instance.set_up(rung), problem.rungs[rung].on_gpu, options);
  } catch (const Unsupported& reason) {
    outcome.status = "not here";
    outcome.message = reason.what();
  } catch (const std::exception& error) {
    outcome.status = "failed";
    outcome.message = error.what();
  }
  if (simulates() && !outcome.counts) outcome.counts.emplace();
  return outcome;
}

Outcome outcome_of(const ChildResult& result) {
  if (result.end == ChildResult::End::returned) return outcome_from(nlohmann::json::parse(result.text));
  Outcome outcome;
  outcome.status = result.end == ChildResult::End::crashed ? "crashed" : "timed out";
  outcome.message = result.text;
  if (simulates()) outcome.counts.emplace();
  return outcome;
}

Report run_instance(const Problem& problem, const Instance& instance, const Options& options) {
  Report report{problem.name, instance.title(), problem.unit, instance.work(), {}};
  std::vector<Work> works;
  for (std::size_t i = 0; i < problem.rungs.size(); ++i) {
    const RungInfo& rung = problem.rungs[i];
    if (!options.rungs.empty() && std::ranges::find(options.rungs, rung.name) == options.rungs.end())
      continue;
    report.lines.push_back({rung, {}});
    if (options.in_process)
      report.lines.back().outcome = run_here(problem, instance, i, options);
    else
      works.push_back({[&, i] { return as_json(run_here(problem, instance, i, options)).dump(); },
                       simulates() ? *options.time_limit : std::min(*options.time_limit, rung.most_seconds)});
  }
  run_in_children(works, rungs_at_once(), [&](std::size_t i, const ChildResult& result) {
    report.lines[i].outcome = outcome_of(result);
  });
  return report;
}

int run(const Problem& problem, Options options) {
  for (const std::string& name : options.rungs) find_rung(problem, name);
  refuse_what_is_not_taken(problem, options.params);
  const Json device = prepare(problem, options);
  const auto instances = problem.instances(options.params);
  if (options.in_process && instances.size() != 1)
    throw BadParam(
        "--in-process takes one size and one type: rungs keep things for as long as their process lives");
  Json json = {{"seed", options.params.seed}, {"rounds", options.rounds}};
  json.update(device);
  bool has_failed = false;
  auto reports = Json::array();
  for (const auto& make : instances) {
    const Report report = run_instance(problem, *make(), options);
    if (!options.json) print(report);
    std::fflush(stdout);
    has_failed |= std::ranges::any_of(report.lines, failed);
    reports.push_back(as_json(report));
  }
  json["reports"] = reports;
  if (options.json) fmt::print("{}\n", json.dump(1));
  return has_failed ? 1 : 0;
}

/// What the rung does in each line, at the first of the sizes that are simulated by default.
std::vector<LineCounts> lines_counted(const Problem& problem, const RungInfo& rung, Options options) {
  prepare(problem, options);
  const auto instance = problem.instances(options.params).front()();
  const auto number = static_cast<std::size_t>(&rung - problem.rungs.data());
  return count_lines(*instance->set_up(number));
}

std::string shown(const Problem& problem, const RungInfo& rung, const Options& options) {
  const std::vector<Excerpt> excerpts = excerpts_of(problem, rung);
  return options.counts ? text_of(excerpts, lines_counted(problem, rung, options)) : text_of(excerpts);
}

/// The rung's excerpts, or of a problem without one the names of its rungs.
void show(const Problem& problem, const Options& options) {
  if (options.rungs.empty())
    fmt::print("{} has {}\n", problem.name, names(problem.rungs, [](auto& rung) { return rung.name; }));
  else
    fmt::print("{}", shown(problem, find_rung(problem, options.rungs[0]), options));
}

/// The difference of all that show prints.
void show_difference(const Problem& problem, const Options& options) {
  const auto text = [&](std::size_t i) {
    return text_of(excerpts_of(problem, find_rung(problem, options.rungs[i])));
  };
  fmt::print("{}", diff(text(0), text(1)));
}

int run(const std::vector<Problem>& problems, const Options& options, char** arguments) {
  using Command = Options::Command;
  if (options.command == Command::list && options.problem.empty()) {
    list(problems);
    return 0;
  }
  const Problem& problem = find_problem(problems, options.problem);
  switch (options.command) {
    case Command::list:
      list({problem});
      return 0;
    case Command::show:
      show(problem, options);
      return 0;
    case Command::diff:
      show_difference(problem, options);
      return 0;
    case Command::results:
      print_record(problem, options.gpu);
      return 0;
    case Command::run:
      break;
  }
  hand_over(options, arguments);
  return run(problem, options);
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<Problem>& problems) {
  if (const auto own = run_own_command(argc, argv)) return *own;
  try {
    int status = 0;
    const auto options = parse(argc, argv, status);
    if (options) status = run(problems, *options, argv);
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
