#include "runner/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "cli/suggest.hpp"
#include "runner/backend.hpp"

namespace foldline::ladder {
namespace {

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

}  // namespace

std::string names_of(const std::vector<RungInfo>& rungs) {
  return names(rungs, [](const RungInfo& rung) { return rung.name; });
}

const Problem& find_problem(const std::vector<Problem>& problems, const std::string& name) {
  return find(problems, name, &Problem::name, "there is no problem '" + name + "'");
}

const RungInfo& find_rung(const Problem& problem, const std::string& name) {
  return find(problem.rungs, name, &RungInfo::name, problem.name + " has no rung '" + name + "'");
}

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
  outcome.status = result.end == ChildResult::End::timed_out ? "timed out" : "crashed";
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
                       simulates() ? *options.time_limit : std::min(*options.time_limit, rung.most_seconds),
                       options.megabytes});
  }
  run_in_children(works, rungs_at_once(), [&](std::size_t i, const ChildResult& result) {
    report.lines[i].outcome = outcome_of(result);
  });
  return report;
}

}  // namespace foldline::ladder
