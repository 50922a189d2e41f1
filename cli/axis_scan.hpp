// `foldline scan --axis`.
#pragma once

#include <functional>
#include <string>

#include "compute.hpp"

namespace foldline::cli {

/// Scans along an axis, otherwise like scan_file(). Needs memory for one block, and 400 bytes for each vector
/// that is longer than a block.
Found scan_along_axis(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
