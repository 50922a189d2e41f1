// The battery by other libraries: the GNU Scientific Library's QUADPACK, and Boost.Math.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quadrature/battery.hpp"

namespace peers {

struct Answer {
  double value;
  std::int64_t evaluations;
  bool gave_up;  // as it says itself
};

/// Asked for a largest error relative to the integral, which is all that Boost can be asked for.
struct Contestant {
  std::string name;
  Answer (*integrate)(const battery::Problem& problem, double tolerance);
};

/// Ours by the default method, ours by tanh-sinh, and the others.
const std::vector<Contestant>& contestants();

/// Those that are judged by the peaks, the jumps and what diverges, too: ours, with a limit of 10,000 samples
/// for tanh-sinh, and QUADPACK.
const std::vector<Contestant>& judged();

/// |value - integral| as a part of the integral.
double error_of(const Answer& answer, const battery::Problem& problem);

bool is_found(const Answer& answer, const battery::Problem& problem, double tolerance);

/// A contestant on the whole battery.
struct Score {
  int found = 0;                 // within the tolerance, and not given up
  double median_error = 0;       // of all problems
  std::int64_t evaluations = 0;  // for what is found
  std::int64_t ours = 0;         // for the same problems, by our default method
  double median_ratio = 0;       // of these two, problem by problem
};
Score score_of(const Contestant& contestant, double tolerance);

}  // namespace peers
