#include "targets.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "figures.hpp"

namespace foldline::bench {
namespace {

/// False if a target beside NumPy has nothing to stand beside.
bool numpy_was_measured(const Targets& targets, const Results& results) {
  return std::ranges::none_of(targets, [&](const Target& target) {
    const Row* const ours = target.against == Against::numpy ? row_of(results, target) : nullptr;
    return ours != nullptr && results.find(ours->group, "NumPy") == nullptr;
  });
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
  const Targets targets = selected_targets(options);
  print_figures(targets, results);
  if (!numpy_was_measured(targets, results))
    fmt::print(
        "NumPy was not measured: neither python3 nor /usr/bin/python3 has it; give --numpy a Python that "
        "has\n");
  fmt::print("OpenBLAS takes this CPU for a {}; if its dsum beats its dasum by far, see README.md\n",
             openblas_get_corename());
}

nlohmann::ordered_json targets_json(const Options& options, const Results& results) {
  return figures_json(selected_targets(options), results);
}

}  // namespace foldline::bench
