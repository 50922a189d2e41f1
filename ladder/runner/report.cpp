#include "runner/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace foldline::ladder {
namespace {

/// Work per nanosecond.
double rate(const Report& report, const Line& line) {
  const std::int64_t work = line.outcome.work != 0 ? line.outcome.work : report.work;
  return line.outcome.cold.median == 0 ? 0 : static_cast<double>(work) / line.outcome.cold.median * 1e-3;
}

/// The name of a unit in a table's head; its name and rate in JSON.
struct UnitNames {
  const char *head, *work, *rate;
};

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

bool ran(const Line& line) { return line.outcome.status == "ok"; }

/// The fastest of the lines that show an upper bound of the device; 0 if none ran.
double roof(const Report& report) {
  double best = 0;
  for (const Line& line : report.lines)
    if (line.rung.kind == Kind::roof && ran(line)) best = std::max(best, rate(report, line));
  return best;
}

/// By total time, from the start to the result on the host: the only time that is comparable between kernels,
/// calls that return with the result, and the host's own work.
std::optional<double> speed_up(const Line* before, const Line& line) {
  if (before == nullptr || !ran(line) || line.rung.kind == Kind::roof || line.rung.kind == Kind::aside)
    return std::nullopt;
  return before->outcome.total.median / line.outcome.total.median;
}

struct Ratios {
  std::optional<double> before, first;
};

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

std::string time_text(double microseconds) {
  return fmt::format("{:.{}f}", microseconds, microseconds < 100 ? 2 : microseconds < 10000 ? 1 : 0);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::rung:
      return "rung";
    case Kind::library:
      return "library";
    case Kind::reference:
      return "reference";
    case Kind::roof:
      return "roof";
    case Kind::aside:
      return "aside";
    case Kind::experiment:
      break;
  }
  return "experiment";
}

void print_measured(const Report& report, const Line& line, const Ratios& ratio, double roof) {
  const Outcome& o = line.outcome;
  const double done = rate(report, line);
  fmt::print(" {:>10} {:>10} {:>10} {:>10} {:>8.1f} {:>6} {:>8} {:>8} {:>5.0f}% {:>8.3g} {:>4}",
             time_text(o.cold.median), time_text(o.warm.median), time_text(o.total.median),
             time_text(o.input + o.total.median), done,
             roof == 0 ? "-" : fmt::format("{:.1f}%", 100 * done / roof), ratio_text(ratio.before),
             ratio_text(ratio.first),
             o.cold.median == 0 ? 0 : 50 * (o.cold.highest - o.cold.lowest) / o.cold.median,
             o.check.worst_ulp, o.repeatable ? "yes" : "no");
  if (o.kernels == 0)
    fmt::print("{:>37}", "");
  else
    fmt::print(" {:>9} {:>5} {:>4} {:>7} {:>7.0f}%", o.grid, o.block, o.registers, o.shared_bytes,
               100 * o.occupancy);
  fmt::print("  {} of {} values correct\n", o.check.correct, o.check.values);
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

}  // namespace

bool failed(const Line& line) {
  return line.outcome.status != "ok" && line.outcome.status != "not here" &&
         line.rung.kind != Kind::experiment;
}

void print(const Report& report) {
  const double best = roof(report);
  const std::vector<Ratios> ratio = ratios(report);
  fmt::print("\n{}: {}\n", report.problem, report.title);
  fmt::print(
      "{:<40} {:>10} {:>10} {:>10} {:>10} {:>8} {:>6} {:>8} {:>8} {:>6} {:>8} {:>4} {:>9} {:>5} {:>4} {:>7} "
      "{:>8}\n",
      "", "cold us", "warm us", "total us", "with input", names_of(report.unit).head, "roof", "x before",
      "x first", "+-", "ulp", "same", "grid", "block", "regs", "shared", "occupied");
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const Line& line = report.lines[i];
    const bool mark = line.rung.kind != Kind::rung;
    fmt::print("{:<40}",
               mark ? fmt::format("{} ({})", line.rung.name, kind_text(line.rung.kind)) : line.rung.name);
    if (ran(line))
      print_measured(report, line, ratio[i], best);
    else
      fmt::print(" {}: {}\n", line.outcome.status, line.outcome.message);
  }
  for (const Line& line : report.lines)
    for (const Table& table : line.outcome.tables) print(table);
}

nlohmann::ordered_json as_json(const Report& report) {
  const double best = roof(report);
  const std::vector<Ratios> ratio = ratios(report);
  const auto optional = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  const UnitNames names = names_of(report.unit);
  auto lines = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const Line& line = report.lines[i];
    nlohmann::ordered_json json = {{"rung", line.rung.name}, {"kind", kind_text(line.rung.kind)}};
    json.update(nlohmann::ordered_json(as_json(line.outcome)));
    json[names.rate] = rate(report, line);
    json["of_roof"] =
        best == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(rate(report, line) / best);
    json["speed_up_over_rung_before"] = optional(ratio[i].before);
    json["speed_up_over_first"] = optional(ratio[i].first);
    lines.push_back(std::move(json));
  }
  return {{"problem", report.problem}, {"title", report.title}, {names.work, report.work}, {"rungs", lines}};
}

}  // namespace foldline::ladder
