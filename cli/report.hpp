// Results as text for people and JSON for machines.
#pragma once

#include <string>

#include "compute.hpp"
#include "options.hpp"

namespace foldline::cli {

/// What goes to standard output, with the final newline. Throws DataError for the extremum of nothing, Error
/// for an overflow.
std::string report(const Found& found, const Options& options);

}  // namespace foldline::cli
