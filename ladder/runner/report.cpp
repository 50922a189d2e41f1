#include "runner/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace foldline::ladder {
namespace {

constexpr std::array kinds = {
    std::pair{Kind::rung, "rung"},           std::pair{Kind::library, "library"},
    std::pair{Kind::reference, "reference"}, std::pair{Kind::roof, "roof"},
    std::pair{Kind::aside, "aside"},         std::pair{Kind::experiment, "experiment"},
    std::pair{Kind::attempt, "yours"}};

const char* name_of(Kind kind) {
  return std::ranges::find(kinds, kind, &std::pair<Kind, const char*>::first)->second;
}

/// By total time, from the start to the result on the host: the only time that is comparable between kernels,
/// calls that return with the result, and the host's own work.
std::optional<double> speed_up(const Line* before, const Line& line) {
  if (before == nullptr || !ran(line) || line.rung.kind == Kind::roof || line.rung.kind == Kind::aside)
    return std::nullopt;
  return before->outcome.total.median / line.outcome.total.median;
}

void print(const Table& table) {
  fmt::print("\n{}\n{:<28}", table.title, "");
  for (const std::string& column : table.columns) fmt::print(" {:>14}", column);
  fmt::print("\n");
  for (const Table::Row& row : table.rows) {
    fmt::print("{:<28}", row.label);
    for (const double cell : row.cells) fmt::print(" {:>14.5g}", cell);
    fmt::print("\n");
  }
}

/// The rates and ratios of a line whose times were taken.
nlohmann::ordered_json rates_of(const Report& report, const Line& line, const Ratios& ratio, double best) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  const double done = rate(report, line);
  return {{names_of(report.unit).rate, done},
          {"of_roof", best == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(done / best)},
          {"speed_up_over_rung_before", optional(ratio.before)},
          {"speed_up_over_first", optional(ratio.first)}};
}

}  // namespace

Kind kind_of(const std::string& name) {
  for (const auto& [kind, text] : kinds)
    if (text == name) return kind;
  return Kind::experiment;
}

bool ran(const Line& line) { return line.outcome.status == "ok"; }

bool failed(const Line& line) {
  return !ran(line) && line.outcome.status != "not here" && line.rung.kind != Kind::experiment;
}

std::string label_of(const Line& line) {
  if (line.rung.kind == Kind::rung) return line.rung.name;
  return fmt::format("{} ({})", line.rung.name, name_of(line.rung.kind));
}

std::string reason_of(const Line& line) {
  return fmt::format("{}: {}", line.outcome.status, line.outcome.message);
}

std::string verdict_of(const Line& line) {
  const Outcome& o = line.outcome;
  return fmt::format("{} of {} values correct{}{}", o.check.correct, o.check.values,
                     o.printed.empty() ? "" : "; ", o.printed);
}

void print_own_tables(const Report& report) {
  for (const Line& line : report.lines)
    for (const Table& table : line.outcome.tables) print(table);
}

UnitNames names_of(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      break;
    case Unit::operations:
      return {"GFLOP/s", "operations", "gigaflops"};
    case Unit::evaluations:
      return {"Geval/s", "evaluations", "gigaevaluations_per_second"};
  }
  return {"GB/s", "bytes", "gigabytes_per_second"};
}

double rate(const Report& report, const Line& line) {
  const std::int64_t work = line.outcome.work != 0 ? line.outcome.work : report.work;
  return line.outcome.cold.median == 0 ? 0 : static_cast<double>(work) / line.outcome.cold.median * 1e-3;
}

double roof(const Report& report) {
  double best = 0;
  for (const Line& line : report.lines)
    if (line.rung.kind == Kind::roof && ran(line)) best = std::max(best, rate(report, line));
  return best;
}

std::vector<Ratios> ratios(const Report& report) {
  std::vector<Ratios> list;
  const Line *first = nullptr, *before = nullptr;
  for (const Line& line : report.lines) {
    list.push_back({speed_up(before, line), speed_up(first, line)});
    if (!ran(line) || (line.rung.kind != Kind::rung && line.rung.kind != Kind::library)) continue;
    before = &line;
    if (first == nullptr) first = &line;
  }
  return list;
}

nlohmann::ordered_json as_json(const Report& report) {
  const double best = roof(report);
  const std::vector<Ratios> ratio = ratios(report);
  auto lines = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const Line& line = report.lines[i];
    nlohmann::ordered_json json = {{"rung", line.rung.name}, {"kind", name_of(line.rung.kind)}};
    json.update(nlohmann::ordered_json(as_json(line.outcome)));
    if (!line.outcome.counts) json.update(rates_of(report, line, ratio[i], best));
    lines.push_back(std::move(json));
  }
  return {{"problem", report.problem},
          {"title", report.title},
          {names_of(report.unit).work, report.work},
          {"rungs", lines}};
}

}  // namespace foldline::ladder
