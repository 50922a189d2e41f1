// The grid on a GPU.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/grid_contestant.hpp"

namespace foldline::bench::cuda {

/// foldline and CUB, which take part in this process.
void add_grid_contestants(std::int64_t most_bytes, std::vector<MadeContestant>& contestants);

/// The GPU, as in records of other measurements.
nlohmann::ordered_json describe_grid_gpu();

}  // namespace foldline::bench::cuda
