// Tables and JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
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

void print(const Report& report);
nlohmann::ordered_json as_json(const Report& report);

/// True for what should not have happened: a wrong result, a crash, an error. An experiment cannot fail.
bool failed(const Line& line);

}  // namespace foldline::ladder
