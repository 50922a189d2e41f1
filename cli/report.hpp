// Results as text for people and JSON for machines.
#pragma once

#include "compute.hpp"
#include "options.hpp"
#include "output.hpp"

namespace foldline::cli {

/// What goes to standard output, with the final newline: a row at a time, since the text of two million
/// groups takes more memory than their sums. The options must outlive it. Throws DataError for the extremum
/// of nothing, Error for a result that its type cannot hold.
Output report(Found found, const Options& options);

}  // namespace foldline::cli
