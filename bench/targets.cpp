#include "targets.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <cstdio>

#include "figures.hpp"

namespace foldline::bench {
std::vector<Case> numpy_groups(const Options& options, const Results& results) {
  return groups_beside(Against::numpy, selected_targets(options), results);
}

void print_targets(const Options& options, const Results& results) {
  print_figures(selected_targets(options), results);
  fmt::print("OpenBLAS takes this CPU for a {}; if its dsum beats its dasum by far, see README.md\n",
             openblas_get_corename());
}

nlohmann::ordered_json targets_json(const Options& options, const Results& results) {
  return figures_json(selected_targets(options), results);
}

}  // namespace foldline::bench
