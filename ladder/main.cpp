// foldline-ladder: the kernels of the textbooks, one file each, verified and timed beside each other. See
// docs/ladder.md.
#include "problems.hpp"
#include "runner/commands.hpp"

int main(int argc, char** argv) {
  using namespace foldline::ladder;
  return run_program(argc, argv, {FOLDLINE_LADDER_PROBLEMS});  // a list of the functions in problems.hpp
}
