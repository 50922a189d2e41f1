// Sizes as people write them.
#pragma once

#include <CLI/CLI.hpp>

namespace foldline::ladder {

/// Rewrites 1e6 and 2^20 as integers, and refuses what is none from 0 to 2^40.
CLI::Validator size();

}  // namespace foldline::ladder
