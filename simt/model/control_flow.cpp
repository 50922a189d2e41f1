#include "model/control_flow.hpp"

#include <algorithm>

namespace simt::model {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint32_t unknown = UINT32_MAX;

/// The blocks in an order in which each comes after all that it leads to, loops aside: the exit first.
std::vector<std::uint32_t> order_from_exit(const Graph& predecessors, std::uint32_t exit) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(predecessors.size());
  struct Step {
    std::uint32_t block;
    std::size_t next;
  };
  std::vector<Step> path = {{exit, 0}};
  seen[exit] = true;
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next < predecessors[step.block].size()) {
      const std::uint32_t before = predecessors[step.block][step.next++];
      if (!seen[before]) {
        seen[before] = true;
        path.push_back({before, 0});
      }
    } else {
      order.push_back(step.block);
      path.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

// Cooper, Harvey and Kennedy 2001, on the graph with its edges turned round.
std::vector<std::uint32_t> post_dominators(const Graph& successors) {
  const std::uint32_t exit = static_cast<std::uint32_t>(successors.size());
  Graph after = successors, before(exit + 1);
  after.emplace_back();
  for (std::uint32_t block = 0; block < exit; ++block) {
    if (after[block].empty()) after[block].push_back(exit);
    for (const std::uint32_t next : after[block]) before[next].push_back(block);
  }
  const std::vector<std::uint32_t> order = order_from_exit(before, exit);
  std::vector<std::uint32_t> rank(exit + 1, unknown), result(exit + 1, unknown);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  result[exit] = exit;
  const auto common = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = result[a];
      while (rank[b] > rank[a]) b = result[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint32_t block = order[i];
      std::uint32_t found = unknown;
      for (const std::uint32_t next : after[block])
        if (result[next] != unknown) found = found == unknown ? next : common(next, found);
      if (result[block] != found) {
        result[block] = found;
        changed = true;
      }
    }
  }
  result.pop_back();
  std::replace(result.begin(), result.end(), unknown, exit);
  return result;
}

}  // namespace simt::model
