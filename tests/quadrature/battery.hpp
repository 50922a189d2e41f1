// Integrals with known values, as published for tests of integrators.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace battery {

struct Problem {
  std::string name;
  std::function<double(double)> f;
  double a, b;
  double value;          // to the last place; NaN if there is none
  std::string how = {};  // the value was found
};

/// The families of the QUADPACK book (Piessens et al. 1983), Genz's (1984) in one dimension, and those of
/// Kahaner (1971) that are of another kind. Left out: a singularity x^-1/2 at pi/4, of which the nearest
/// doubles hide 1e-8, and Kahaner's last, of which QUADPACK and we miss a peak of width 1/1000.
const std::vector<Problem>& problems();

/// Narrow peaks on wide intervals, of which some sample of the first panels sees at least a slope, and jumps.
const std::vector<Problem>& peaks_and_steps();

/// What has no integral.
const std::vector<Problem>& divergent();

}  // namespace battery
