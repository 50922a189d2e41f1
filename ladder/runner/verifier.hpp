// Compares the results of a rung's runs with the exact one and with each other.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runner/outcome.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder {

class Verifier {
 public:
  explicit Verifier(Outcome& outcome) : outcome_(outcome) {}

  /// One run and a look at its result; leaves launches() to be those of the run.
  void run(Workbench& bench);
  void look(const Workbench& bench);

 private:
  Outcome& outcome_;
  std::optional<std::vector<std::byte>> bits_;
};

/// The status, and what the rung has to show beside its result.
void conclude(const Workbench& bench, Outcome& outcome);

}  // namespace foldline::ladder
