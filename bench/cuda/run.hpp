// foldline-bench --device cuda. ../no_cuda.cpp stands in where the library is built without CUDA.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/options.hpp"
#include "bench/results.hpp"

namespace foldline::bench::cuda {

/// Measures the figures for the first GPU, prints them, and adds to `json` what is not in the results.
/// Throws std::runtime_error if there is no GPU.
Results run_on_gpu(const Options& options, nlohmann::ordered_json& json);

}  // namespace foldline::bench::cuda
