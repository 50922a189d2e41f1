// Results as text for people and JSON for machines.
#pragma once

#include <string>
#include <vector>

#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>

#include "options.hpp"

namespace foldline::cli {

/// What goes to standard output, with the final newline. Throws DataError for the extremum of nothing.
std::string report(const Accumulator& accumulator, const std::vector<ArrayReader>& arrays,
                   const Options& options, const Plan& plan);

/// How the result is computed, for people.
std::string explanation(const std::vector<ArrayReader>& arrays, const Options& options, const Plan& plan);

}  // namespace foldline::cli
