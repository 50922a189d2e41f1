#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "python_peer.hpp"
#include "report.hpp"

namespace foldline::bench {
namespace {

/// The peer if it runs in another process, else null.
const PythonPeer* peer_apart(Against against) {
  return against == Against::numpy ? &numpy : against == Against::torch ? &torch : nullptr;
}

/// The measurement for a target.
struct Figure {
  Target target;
  const Row* ours;
  std::string against;  ///< the contestant, or a roof
  Ratio ratio;

  bool passes() const {
    switch (target.against) {
      case Against::peer_time:
        return ratio.value() <= target.required;
      case Against::numpy:
      case Against::torch:
        return ratio.value() > target.required;
      default:
        return ratio.value() >= target.required;
    }
  }
  const char* verdict() const {
    if (!ratio.exists())  // no roof: the vectors fit into the cache
      return target.against == Against::roof ? "no roof" : "no peer";
    if (target.required == 0) return "-";
    return passes() ? "PASS" : "MISS";
  }
};

/// The peer that the target compares with, or null.
const Row* other_row(const Results& results, const Target& target, const Row& ours) {
  if (const PythonPeer* const peer = peer_apart(target.against)) return results.find(ours.group, peer->name);
  return target.peer.empty() ? results.first(ours.group, Role::peer) : results.find(ours.group, target.peer);
}

Figure figure_of(const Results& results, const Target& target, const Row& ours) {
  if (target.against == Against::roof)
    return {target, &ours, ours.group.writes ? "copy roof" : "roof", results.of_roof(ours)};
  if (target.against == Against::plain) return {target, &ours, "plain", results.of_plain(ours)};
  if (target.against == Against::fastest_peer)
    return {target, &ours, "fastest peer", results.of_fastest_peer(ours)};
  const Row* const other = other_row(results, target, ours);
  if (other == nullptr) {
    const PythonPeer* const peer = peer_apart(target.against);
    return {target, &ours, peer == nullptr ? "-" : peer->name, {}};
  }
  const Ratio faster = Results::over(ours, other);
  if (target.against == Against::peer_time)
    return {target, &ours, other->contestant + " (time)", faster.inverse()};
  return {target, &ours, other->contestant, faster};
}

std::vector<Figure> figures(const Targets& targets, const Results& results) {
  std::vector<Figure> list;
  for (const Target& target : targets)
    if (const Row* const ours = row_of(results, target)) list.push_back(figure_of(results, target, *ours));
  return list;
}

std::string required_text(const Target& target) {
  if (target.required == 0) return "(report)";
  const char* const relation = target.against == Against::peer_time    ? "<="
                               : peer_apart(target.against) == nullptr ? ">="
                                                                       : ">";
  return fmt::format("{} {:.2f}", relation, target.required);
}

std::string spread_text(const Ratio& ratio) {
  if (!ratio.exists()) return "-";
  if (!ratio.is_paired()) return "(apart)";
  return ratio_text(ratio.lowest()) + ".." + ratio_text(ratio.highest());
}

void print_roof(const char* name, const Results& results, bool writes) {
  std::set<int> counts;
  for (const Row& row : results.rows()) counts.insert(row.group.threads);
  for (const int threads : counts) {
    const Roof roof = results.roof(threads, writes);
    if (roof.of_run > 0)
      fmt::print("{}, {}: {:.1f} to {:.1f} GB/s in a round, {:.1f} by medians of the run\n", name,
                 threads <= 0 ? "on the GPU" : fmt::format("{} threads", threads), roof.lowest, roof.highest,
                 roof.of_run);
  }
}

/// Prints a line for a peer that a figure needs but nobody measured.
void print_missing(Against against, const Targets& targets, const Results& results) {
  const std::vector<Case> groups = groups_beside(against, targets, results);
  const PythonPeer& peer = *peer_apart(against);
  const auto is_missing = [&](const Case& group) { return results.find(group, peer.name) == nullptr; };
  if (std::ranges::any_of(groups, is_missing))
    fmt::print(
        "{} was not measured: neither python3 nor /usr/bin/python3 has it, or it failed; give {} a Python "
        "that has\n",
        peer.name, peer.option);
}

}  // namespace

const Row* row_of(const Results& results, const Target& target) {
  const auto found = std::ranges::find_if(results.rows(), [&](const Row& row) {
    return row.contestant == target.ours && name_of(row.group) == target.group();
  });
  return found == results.rows().end() ? nullptr : &*found;
}

std::vector<Case> groups_beside(Against peer, const Targets& targets, const Results& results) {
  std::vector<Case> groups;
  for (const Target& target : targets)
    if (const Row* const ours = row_of(results, target);
        ours != nullptr && target.against == peer && std::ranges::find(groups, ours->group) == groups.end())
      groups.push_back(ours->group);
  return groups;
}

void print_figures(const Targets& targets, const Results& results) {
  constexpr const char* line =
      "{:<14} {:<23} {:<8} {:>8} {:>7} {:<8} {:>12} {:>7}  {:<20} {:>6} {:>12} {:>6}  {:<8} {}\n";
  fmt::print(line, "contestant", "operation", "type", "n", "threads", "data", "ns/call", "GB/s", "against",
             "ratio", "rounds", "of run", "required", "");
  for (const Figure& figure : figures(targets, results)) {
    const Case& group = figure.ours->group;
    fmt::print(line, figure.ours->contestant, group.operation, name_of(group.type), size_text(group.size),
               threads_text(group.threads), group.data, fmt::format("{:.1f}", figure.ours->timing.median),
               fmt::format("{:.2f}", figure.ours->rate()), figure.against, ratio_text(figure.ratio.value()),
               spread_text(figure.ratio), ratio_text(figure.ratio.of_run()), required_text(figure.target),
               figure.verdict());
  }
  fmt::print(
      "\nratio: the median of the ratios of the rounds, the least and greatest of which stand beside it. "
      "A roof is the best rate of the round.\n"
      "of run: the ratio of the medians, for roofs to the best median of the run.\n");
  print_roof("roof, the best rate of any contestant from memory", results, false);
  print_roof("copy roof, the best rate of a copy, reading and writing", results, true);
  print_missing(Against::numpy, targets, results);
  print_missing(Against::torch, targets, results);
}

nlohmann::ordered_json figures_json(const Targets& targets, const Results& results) {
  auto list = nlohmann::ordered_json::array();
  for (const Figure& figure : figures(targets, results))
    list.push_back({{"group", name_of(figure.ours->group)},
                    {"contestant", figure.ours->contestant},
                    {"against", figure.against},
                    {"ratio", ratio_json(figure.ratio)},
                    {"required", figure.target.required},
                    {"at_most", figure.target.against == Against::peer_time},
                    {"verdict", figure.verdict()}});
  return list;
}

}  // namespace foldline::bench
