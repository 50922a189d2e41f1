// How much memory the data may take.
#pragma once

#include <cstdint>

namespace foldline::cli {

/// Half of the machine's memory, or of what the process may have (ulimit -v) if that is less; in bytes.
std::int64_t memory_for_data();

}  // namespace foldline::cli
