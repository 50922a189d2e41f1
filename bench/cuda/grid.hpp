// The grid on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/grid_contestant.hpp"

namespace foldline::bench::cuda {

/// foldline and CUB, which take part in this process.
void add_grid_contestants(std::int64_t most_bytes, std::vector<MadeContestant>& contestants);

}  // namespace foldline::bench::cuda
