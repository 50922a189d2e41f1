// `foldline scan --axis`.
#pragma once

#include <functional>
#include <string>

#include "compute.hpp"

namespace foldline::cli {

/// As scan_file() does it without an axis; in the memory for one block, and 400 bytes for each vector along
/// the axis that a block does not hold as a whole.
Found scan_along_axis(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
