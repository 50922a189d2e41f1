// Formulas as source code for a GPU.
#pragma once

#include <string>

#include "expression.hpp"

namespace foldline::cli {

/// The body of a function of x, a double, in CUDA C++: a statement for each node, numbers by their bits.
std::string cuda_source(const Expression& formula);

}  // namespace foldline::cli
