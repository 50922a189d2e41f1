// foldline-ladder: the kernels of the textbooks, one file each, verified and timed beside each other. See
// docs/ladder.md.
#include "problems.hpp"
#include "runner/commands.hpp"

int main(int argc, char** argv) {
  using namespace foldline::ladder;
  return run_program(argc, argv,
                     {reduce_problem(), dot_problem(), column_sums_problem(), scan_problem(),
                      matmul_problem(), quadrature_problem(), memory_problem(), barrier_problem()});
}
