#include "targets.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "machine.hpp"
#include "report.hpp"
#include "target_list.hpp"

namespace foldline::bench {
namespace {

/// What was measured for a target.
struct Figure {
  Target target;
  const Row* ours;
  std::string against;  ///< the contestant, or a roof
  double value;         ///< 0: not measured

  bool passes() const {
    switch (target.against) {
      case Against::peer_time:
        return value <= target.required;
      case Against::numpy:
        return value > target.required;
      default:
        return value >= target.required;
    }
  }
  const char* verdict() const {
    if (value == 0 && target.against == Against::roof) return "no roof";  // the vectors fit into the cache
    if (value == 0) return "no peer";
    if (target.required == 0) return "-";
    return passes() ? "PASS" : "MISS";
  }
};

const Row* row_of(const Results& results, const Target& target) {
  const auto found = std::ranges::find_if(results.rows(), [&](const Row& row) {
    return row.contestant == target.ours && name_of(row.group) == target.group();
  });
  return found == results.rows().end() ? nullptr : &*found;
}

/// The row that the target is held against, or null.
const Row* other_row(const Results& results, const Target& target, const Row& ours) {
  if (target.against == Against::plain) return results.best_plain(ours.group);
  if (target.against == Against::numpy) return results.find(ours.group, "NumPy");
  return target.peer.empty() ? results.first(ours.group, Role::peer) : results.find(ours.group, target.peer);
}

Figure figure_of(const Results& results, const Target& target, const Row& ours) {
  if (target.against == Against::roof)
    return {target, &ours, ours.group.writes ? "copy roof" : "roof", results.of_roof(ours)};
  const Row* const other = other_row(results, target, ours);
  if (other == nullptr) return {target, &ours, target.against == Against::numpy ? "NumPy" : "-", 0};
  const double faster = ours.rate() / other->rate();
  if (target.against == Against::peer_time) return {target, &ours, other->contestant + " (time)", 1 / faster};
  return {target, &ours, other->contestant, faster};
}

std::vector<Figure> figures(const Options& options, const Results& results) {
  std::vector<Figure> list;
  for (const Target& target : selected_targets(options))
    if (const Row* const ours = row_of(results, target)) list.push_back(figure_of(results, target, *ours));
  return list;
}

std::string required_text(const Target& target) {
  if (target.required == 0) return "(report)";
  const char* const relation = target.against == Against::peer_time ? "<="
                               : target.against == Against::numpy   ? ">"
                                                                    : ">=";
  return fmt::format("{} {:.2f}", relation, target.required);
}

void print_roof(const char* name, const Results& results, bool writes) {
  if (results.roof(1, writes) == 0 && results.roof(cores(), writes) == 0) return;
  fmt::print("{}: {} GB/s with 1 thread, {} GB/s with {}\n", name, ratio_text(results.roof(1, writes)),
             ratio_text(results.roof(cores(), writes)), cores());
}

}  // namespace

std::vector<Case> numpy_groups(const Options& options, const Results& results) {
  std::vector<Case> groups;
  for (const Target& target : selected_targets(options))
    if (const Row* const ours = row_of(results, target); ours != nullptr && target.against == Against::numpy)
      groups.push_back(ours->group);
  return groups;
}

void print_targets(const Options& options, const Results& results) {
  constexpr const char* line = "{:<14} {:<23} {:<8} {:>8} {:>7} {:<8} {:>12} {:>7}  {:<20} {:>6}  {:<8} {}\n";
  fmt::print(line, "contestant", "operation", "type", "n", "threads", "data", "ns/call", "GB/s", "against",
             "ratio", "required", "");
  bool numpy_missing = false;
  for (const Figure& figure : figures(options, results)) {
    const Case& group = figure.ours->group;
    fmt::print(line, figure.ours->contestant, group.operation, name_of(group.type), size_text(group.size),
               group.threads, group.data, fmt::format("{:.1f}", figure.ours->timing.median),
               fmt::format("{:.2f}", figure.ours->rate()), figure.against, ratio_text(figure.value),
               required_text(figure.target), figure.verdict());
    numpy_missing |= figure.value == 0 && figure.target.against == Against::numpy;
  }
  fmt::print("\n");
  print_roof("roof, the best rate of any contestant from memory", results, false);
  print_roof("copy roof, the best rate of a copy, reading and writing", results, true);
  if (numpy_missing)
    fmt::print(
        "NumPy was not measured: neither python3 nor /usr/bin/python3 has it; give --numpy a Python that "
        "has\n");
  fmt::print("OpenBLAS takes this CPU for a {}; if its dsum beats its dasum by far, see README.md\n",
             openblas_get_corename());
}

nlohmann::ordered_json targets_json(const Options& options, const Results& results) {
  auto list = nlohmann::ordered_json::array();
  for (const Figure& figure : figures(options, results))
    list.push_back({{"group", name_of(figure.ours->group)},
                    {"contestant", figure.ours->contestant},
                    {"against", figure.against},
                    {"ratio", figure.value},
                    {"required", figure.target.required},
                    {"at_most", figure.target.against == Against::peer_time},
                    {"verdict", figure.verdict()}});
  return list;
}

}  // namespace foldline::bench
