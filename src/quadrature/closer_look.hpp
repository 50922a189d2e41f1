// More samples of a function that seems to be constant.
#pragma once

#include <vector>

#include "quadrature/panel.hpp"

namespace foldline::quadrature {

/// At the eighths of the line, and ever nearer to its ends and to 0: that is where the peaks of functions on
/// intervals that are far too large mostly are. Of exp(-x^2) on (0, 10^6) the rules see nothing but zeros.
std::vector<Sample> closer_look(CountingIntegrand& f, const Line& line);

}  // namespace foldline::quadrature
