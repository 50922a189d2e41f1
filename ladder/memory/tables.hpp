// Tables of what the demonstrations of memory measure, from their results.
#pragma once

#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder::memory {

std::vector<Table> latency_table(const std::vector<float>& cycles);
std::vector<Table> bandwidth_table(const std::vector<float>& rates);
std::vector<Table> conflict_table(const std::vector<float>& cycles);
std::vector<Table> gather_table(const std::vector<float>& rates);
std::vector<Table> cache_table(const std::vector<float>& results);

}  // namespace foldline::ladder::memory
