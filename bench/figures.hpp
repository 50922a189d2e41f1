// Measured figures beside required ones.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "results.hpp"
#include "target_list.hpp"

namespace foldline::bench {

using Targets = std::vector<Target>;

/// The row of the contestant that a target is about, or null if it was not measured.
const Row* row_of(const Results& results, const Target& target);

/// The measured groups that have a figure beside a peer that another process measures.
std::vector<Case> groups_beside(Against peer, const Targets& targets, const Results& results);

/// Prints the figures of these targets with PASS or MISS, and the roofs.
void print_figures(const Targets& targets, const Results& results);
nlohmann::ordered_json figures_json(const Targets& targets, const Results& results);

}  // namespace foldline::bench
