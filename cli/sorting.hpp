// --sort: the order of groups.
#pragma once

#include "compute.hpp"

namespace foldline::cli {

/// The groups in the order of their keys if the options ask for that: by size if all keys are numbers, else
/// byte by byte.
Found sorted(Found found, const Options& options);

}  // namespace foldline::cli
