#include "runner/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/print_times.hpp"
#include "runner/report.hpp"

namespace foldline::ladder {
namespace {

using Json = nlohmann::json;

/// The rung of a line of the record; with what is listed today, if it still is.
RungInfo rung_of(const Problem& problem, const std::string& name, const std::string& kind) {
  const auto found = std::ranges::find(problem.rungs, name, &RungInfo::name);
  return found != problem.rungs.end() ? *found : RungInfo{name, kind_of(kind), "", true};
}

Report report_of(const Problem& problem, const Json& json) {
  Report report{problem.name, json.at("title"), problem.unit, json.at(names_of(problem.unit).work), {}};
  for (const Json& line : json.at("rungs"))
    report.lines.push_back({rung_of(problem, line.at("rung"), line.at("kind")), outcome_from(line)});
  return report;
}

}  // namespace

void print_record(const Problem& problem, const std::string& gpu) {
  const auto found = std::ranges::find(records, gpu, &Record::gpu);
  if (found == records.end()) {
    std::string known;
    for (const Record& record : records) known += (known.empty() ? "" : ", ") + std::string(record.gpu);
    throw BadParam(fmt::format("there is no record of a GPU '{}'; there are {}", gpu, known));
  }
  const Json json = Json::parse(found->json);
  fmt::print("Measured on {}, {}\n", json.at("gpu").get<std::string>(), json.at("date").get<std::string>());
  for (const Json& run : json.at("runs"))
    for (const auto& [name, of_problem] : run.at("problems").items())
      for (const Json& report : of_problem.at("reports"))
        if (report.at("problem") == problem.name) print_times(report_of(problem, report));
}

}  // namespace foldline::ladder
