// What foldline promises on a GPU: the groups, and how fast it must be beside what.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/operations.hpp"
#include "bench/options.hpp"
#include "bench/target_list.hpp"

namespace foldline::bench::cuda {

/// The targets of the part and the data that the options name, without those that --filter leaves out; no
/// vector or matrix has more elements than --targets-size.
std::vector<Target> gpu_targets(const Options& options);

/// The matrices of the column targets.
std::vector<Shape> column_shapes(const Options& options);

}  // namespace foldline::bench::cuda
