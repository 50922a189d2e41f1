#include "runner/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "runner/backend.hpp"
#include "runner/options.hpp"
#include "runner/records.hpp"
#include "runner/report.hpp"
#include "runner/run.hpp"
#include "runner/show.hpp"
#include "runner/sources.hpp"

namespace foldline::ladder {
namespace {

using OrderedJson = nlohmann::ordered_json;

void list(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    fmt::print("{}: {}\n", problem.name, problem.about);
    for (const RungInfo& rung : problem.rungs)
      fmt::print("  {:<32} {}\n", rung.name, idea_of(source_of(problem.name, rung.file)).substr(6));
  }
}

/// Its steps are shown by the process that has run it.
void prepare_trace(Options& options) {
  if (options.rungs.size() != 1 || options.json)
    throw BadParam("--trace shows the steps of one rung, as a picture: name it, without --json");
  options.in_process = true;
}

int run(const Problem& problem, Options options) {
  if (options.trace) prepare_trace(options);
  for (const std::string& name : options.rungs) find_rung(problem, name);
  refuse_what_is_not_taken(problem, options.params);
  const OrderedJson device = prepare(problem, options);
  const auto instances = problem.instances(options.params);
  if (options.in_process && instances.size() != 1)
    throw BadParam(
        "--in-process and --trace take one size and one type: rungs keep things for as long as their process "
        "lives");
  OrderedJson json = {{"seed", options.params.seed}, {"rounds", options.rounds}};
  json.update(device);
  bool has_failed = false;
  auto reports = OrderedJson::array();
  for (const auto& make : instances) {
    const Report report = run_instance(problem, *make(), options);
    if (!options.json) print(report);
    if (options.trace) print_trace();
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
    fmt::print("{} has {}\n", problem.name, names_of(problem.rungs));
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
  if (const auto own = run_own_command(argc, argv, problems)) return *own;
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
