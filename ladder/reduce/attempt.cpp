// A learner's own sum.
#include "reduce/rungs.hpp"

namespace foldline::ladder::reduce {

void attempt(Bench& bench) {
  SolveSum::run(bench.destroyed_x(), static_cast<int>(bench.n()), bench.partials(1));
}

}  // namespace foldline::ladder::reduce
