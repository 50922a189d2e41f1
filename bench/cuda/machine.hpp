// Where the measurements are made.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cublas.hpp"

namespace foldline::bench::cuda {

std::int64_t l2_bytes();

/// GPU, driver, clocks, versions of the peers.
nlohmann::ordered_json describe_gpu(const Cublas& cublas);

}  // namespace foldline::bench::cuda
