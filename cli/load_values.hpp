// All numbers of a data set in memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compute.hpp"
#include "values.hpp"

namespace foldline::cli {

struct LoadedValues {
  std::vector<std::string> names;  ///< of the columns; a single "" if there is one
  std::vector<Values> columns;
  Found found;  ///< files, types and plan; without rows
};

/// Reads the files to their end into 8 bytes for each number. --skip-nan removes NaNs.
/// Throws Error if they do not fit half of the memory.
LoadedValues load_values(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
