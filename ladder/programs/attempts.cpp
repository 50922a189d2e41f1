#include "programs/attempts.hpp"

#include <algorithm>

#include "runner/run.hpp"

namespace foldline::ladder {
namespace {

/// Clock cycles that no device of this kind can go below: four instructions a cycle and multiprocessor; one
/// instruction after another in a warp, each for some cycles; and the bytes that pass between a
/// multiprocessor and the caches, which all share.
double bound_of(const Counts& c, int multiprocessors) {
  constexpr double issued_a_cycle = 4, cycles_of_an_instruction = 4, bytes_a_cycle = 64;
  const auto instructions = static_cast<double>(c.instructions);
  const double moved = static_cast<double>(
      (c.loads.parts + c.stores.parts + c.atomics.parts + c.textures.parts) * c.sector_bytes);
  const double issue = instructions / (issued_a_cycle * multiprocessors);
  const double one_warp =
      instructions / static_cast<double>(std::max<std::int64_t>(c.warps, 1)) * cycles_of_an_instruction;
  return std::max({issue, one_warp, moved / (bytes_a_cycle * multiprocessors)});
}

bool is_step(const Line& line) {
  return line.rung.kind == Kind::rung && ran(line) && line.outcome.counts->launches > 0;
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

std::optional<Place> put_in_place(Report& report, int multiprocessors) {
  const auto own =
      std::ranges::find(report.lines, Kind::attempt, [](const Line& line) { return line.rung.kind; });
  if (own == report.lines.end() || !ran(*own)) return std::nullopt;
  const Line line = *own;
  report.lines.erase(own);
  const double bound = bound_of(*line.outcome.counts, multiprocessors);
  Place place;
  auto behind = report.lines.begin();
  bool is_placed = false;
  for (auto step = report.lines.begin(); step != report.lines.end(); ++step) {
    if (!is_step(*step)) continue;
    ++place.of;
    if (is_placed) continue;
    is_placed = bound_of(*step->outcome.counts, multiprocessors) < bound;
    (is_placed ? place.before : place.behind) = step->rung.name;
    behind = is_placed ? step : step + 1;
    if (!is_placed) ++place.number;
  }
  report.lines.insert(behind, line);
  ++place.number;
  ++place.of;
  return place;
}

}  // namespace foldline::ladder
