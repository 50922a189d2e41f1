#include "barrier/rungs.hpp"

namespace foldline::ladder::barrier {

void barrier_in_branch(reduce::Bench&);
void barrier_missing(reduce::Bench&);
void barrier_that_hangs(reduce::Bench&);
void barrier_outside(reduce::Bench&);

const std::vector<reduce::Rung>& rungs() {
  static const std::vector<reduce::Rung> list = {
      {{"barrier-in-branch", Kind::experiment, "barrier_in_branch.cu"}, barrier_in_branch},
      {{"barrier-missing", Kind::experiment, "barrier_missing.cu"}, barrier_missing},
      {{"barrier-that-hangs", Kind::experiment, "barrier_that_hangs.cu", true, 5}, barrier_that_hangs},
      {{"barrier-outside", Kind::rung, "barrier_outside.cu"}, barrier_outside},
  };
  return list;
}

}  // namespace foldline::ladder::barrier
