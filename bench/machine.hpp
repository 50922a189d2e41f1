// Where the measurements are made: a figure means nothing without it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace foldline::bench {

int cores();

/// Data of so many bytes is for the most part not in a cache: four times the last-level cache (32 MiB where
/// that is not known), at most 512 MiB.
std::int64_t memory_bytes();

/// Processor, caches, compiler, versions of foldline and of the peers, date, load.
nlohmann::ordered_json describe_machine();

/// Processes that wanted to run, over the last minute: a reader can see how noisy it was. Negative if
/// unknown.
double load_average();

}  // namespace foldline::bench
