// The rungs of a problem and what came of them, as JSON; backend.hpp prints the tables.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/outcome.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder {

struct Line {
  RungInfo rung;
  Outcome outcome;
};

/// The rungs of a problem at one size.
struct Report {
  std::string problem, title;
  Unit unit = Unit::bytes;
  std::int64_t work = 0;  ///< Instance::work
  std::vector<Line> lines;
};

nlohmann::ordered_json as_json(const Report& report);

/// The role of that name; experiment for one that is not known.
Kind kind_of(const std::string& name);

/// True for what should not have happened: a wrong result, a crash, an error. An experiment cannot fail.
bool failed(const Line& line);
bool ran(const Line& line);

/// The name of a line in a table: that of its rung, with its role unless it is one of the steps.
std::string label_of(const Line& line);
/// What follows a line that did not run, and a line that did.
std::string reason_of(const Line& line);
std::string verdict_of(const Line& line);
/// The tables of the rungs themselves.
void print_own_tables(const Report& report);

/// The name of a unit in a table's head; its name and rate in JSON.
struct UnitNames {
  const char *head, *work, *rate;
};
UnitNames names_of(Unit unit);

/// Work per nanosecond: GB/s for bytes.
double rate(const Report& report, const Line& line);
/// The highest rate of the lines that show an upper bound of the device; 0 if none ran.
double roof(const Report& report);

struct Ratios {
  std::optional<double> before, first;
};
/// How many times as fast each line is as the rung before it, and as the first.
std::vector<Ratios> ratios(const Report& report);

}  // namespace foldline::ladder
