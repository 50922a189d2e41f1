// Taking time on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "bench/measure.hpp"
#include "contestant.hpp"

namespace foldline::bench::cuda {

/// Measures A B C, A B C, ...: batches of calls between two events. The calls of a batch go through `pieces`
/// pieces of the data in turn. Contestants must have been called once.
std::vector<Timing> measure(std::span<const DeviceContestant> contestants, std::int64_t pieces,
                            const Method& method, cudaStream_t stream);

}  // namespace foldline::bench::cuda
