// How much memory the data may take.
#pragma once

#include <cstdint>

#include "options.hpp"

namespace foldline::cli {

/// Half of the machine's memory, or of what the process may have (ulimit -v) if that is less; in bytes.
std::int64_t memory_for_data();

/// @{ Limits on the number of groups and on the memory of their sums, so that both fit memory_for_data();
/// --allow-keys replaces them.
std::int64_t most_keys(const Options& options);
std::int64_t most_bytes_of_groups(const Options& options);
/// @}

}  // namespace foldline::cli
