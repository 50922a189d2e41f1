// Data flows: files -> blocks -> accumulator.
#pragma once

#include <string>
#include <vector>

#include <foldline/array_reader.hpp>
#include <foldline/foldline.hpp>

#include "options.hpp"

namespace foldline::cli {

/// Opens the files that the options name, and checks that two of them fit together.
/// Throws DataError, before anything is computed wherever it can be known then.
std::vector<ArrayReader> open_arrays(const Options& options);

/// How compute() will go about it. Throws UsageError if this machine cannot do what the options ask for.
Plan make_plan(const Options& options, const ArrayReader& array);

/// Reads the arrays to their end and gathers what the operation needs, in constant memory. Throws DataError.
Accumulator compute(std::vector<ArrayReader>& arrays, const Options& options, const Plan& plan);

}  // namespace foldline::cli
