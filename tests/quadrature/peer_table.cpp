// Prints the tables of docs/quadrature.md: the battery by foldline and by other libraries.
#include <cmath>
#include <cstdio>
#include <string>

#include "quadrature/peers.hpp"

namespace {

using battery::Problem;

void print_scores() {
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

struct Family {
  const char* name;
  const std::vector<Problem>& problems;
};

const Family families[] = {{"published", battery::problems()},
                           {"peaks and jumps", battery::peaks_and_steps()},
                           {"divergent", battery::divergent()}};
constexpr double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};

/// Found, refused or wrong, which is the worst: said to have converged, to what is not within the tolerance.
char verdict(const peers::Answer& answer, const Problem& problem, double tolerance) {
  if (answer.gave_up) return 'r';
  return is_found(answer, problem, tolerance) ? 'f' : 'w';
}

void print_families() {
  std::printf(
      "| family | tolerance | by | found | refused | wrong | samples |\n|---|---|---|---|---|---|---|\n");
  for (const Family& family : families)
    for (const double tolerance : tolerances)
      for (const peers::Contestant& contestant : peers::judged()) {
        int found = 0, refused = 0, wrong = 0;
        long long samples = 0;
        for (const Problem& problem : family.problems) {
          const peers::Answer answer = contestant.integrate(problem, tolerance);
          const char letter = verdict(answer, problem, tolerance);
          ++(letter == 'f' ? found : letter == 'r' ? refused : wrong);
          samples += answer.evaluations;
        }
        std::printf("| %s | %.0e | %s | %d | %d | %d | %lld |\n", family.name, tolerance,
                    contestant.name.c_str(), found, refused, wrong, samples);
      }
}

/// As a cell of a table.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char letter : name) text += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return text;
}

void print_all() {
  std::printf("| integral | from | to | value |");
  for (const peers::Contestant& contestant : peers::judged()) std::printf(" %s |", contestant.name.c_str());
  std::printf("\n|---|---|---|---|---|---|---|\n");
  for (const Family& family : families)
    for (const Problem& problem : family.problems) {
      std::printf("| %s | %.6g | %.6g | ", escaped(problem.name).c_str(), problem.a, problem.b);
      std::isnan(problem.value) ? std::printf("none |") : std::printf("%.10g |", problem.value);
      for (const peers::Contestant& contestant : peers::judged()) {
        std::string letters;
        for (const double tolerance : tolerances)
          letters += verdict(contestant.integrate(problem, tolerance), problem, tolerance);
        std::printf(" %s %lld |", letters.c_str(),
                    static_cast<long long>(contestant.integrate(problem, 1e-10).evaluations));
      }
      std::printf("\n");
    }
}

}  // namespace

/// Which table: scores, families or all.
int main(int count, char** arguments) {
  const std::string which = count > 1 ? arguments[1] : "";
  if (which == "scores") print_scores();
  if (which == "families") print_families();
  if (which == "all") print_all();
}
