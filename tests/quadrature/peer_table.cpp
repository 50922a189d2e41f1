// Prints the table of docs/quadrature.md: the battery by foldline and by other libraries.
#include <cstdio>

#include "quadrature/peers.hpp"

int main() {
  std::printf(
      "| tolerance | by | found of %zu | median error | samples | foldline's, for the same | median ratio "
      "|\n",
      battery::problems().size());
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const double tolerance : {1e-6, 1e-10})
    for (const peers::Contestant& contestant : peers::contestants()) {
      const peers::Score score = score_of(contestant, tolerance);
      std::printf("| %.0e | %s | %d | %.0e | %lld | %lld | %.2f |\n", tolerance, contestant.name.c_str(),
                  score.found, score.median_error, static_cast<long long>(score.evaluations),
                  static_cast<long long>(score.ours), score.median_ratio);
    }
}
