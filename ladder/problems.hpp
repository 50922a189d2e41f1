// The problems of the ladder. A new one is a folder, a line here, and a name in FOLDLINE_LADDER_PROBLEMS of
// CMakeLists.txt.
#pragma once

#include "runner/problem.hpp"

namespace foldline::ladder {

Problem reduce_problem();
Problem dot_problem();
Problem column_sums_problem();
Problem scan_problem();
Problem matmul_problem();
Problem quadrature_problem();
Problem memory_problem();
Problem barrier_problem();

}  // namespace foldline::ladder
