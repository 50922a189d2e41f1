// Description of the machine, without which a figure means nothing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace foldline::bench {

int cores();

/// The size from which data is mostly not in a cache: four times the last-level cache (32 MiB if unknown), at
/// most 512 MiB.
std::int64_t memory_bytes();

/// Processor, caches, compiler, versions of foldline and of the peers, date, load.
nlohmann::ordered_json describe_machine();

/// Average number of runnable processes over the last minute, which shows how noisy the machine was. Negative
/// if unknown.
double load_average();

}  // namespace foldline::bench
