// A learner's own column sums.
#include "column-sums/rungs.hpp"

namespace foldline::ladder::column_sums {

/// It may add in any order.
void attempt(Bench& bench) {
  SolveColumns::run(bench.matrix(), static_cast<int>(bench.rows()), static_cast<int>(bench.columns()),
                    bench.sums(static_cast<double>(bench.rows())));
}

}  // namespace foldline::ladder::column_sums
