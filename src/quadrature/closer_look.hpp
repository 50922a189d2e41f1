// More samples of a function that seems to be constant.
#pragma once

#include <vector>

#include "quadrature/panel.hpp"

namespace foldline::quadrature {

/// Samples at the eighths of the line, and ever nearer to its ends and to 0, where functions on far too large
/// intervals mostly have their peaks. (Of exp(-x^2) on (0, 10^6) the rules see only zeros.)
std::vector<Sample> closer_look(CountingIntegrand& f, const Line& line);

}  // namespace foldline::quadrature
