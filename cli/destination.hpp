// Where an array of results goes, and in which form.
#pragma once

#include <string>

#include "options.hpp"

namespace foldline::cli {

struct Destination {
  std::string path;  ///< "-" is standard output
  OutputFormat format;
};

/// A file is what its name says: .npy, .csv, .tsv, and text for .txt and .dat. Other names, and names that
/// --output-format contradicts, are a UsageError; a pipe or device of any other name takes what
/// --output-format says, or a .npy. Without a file the results are text on standard output.
Destination destination_of(const Options& options);

/// Whether the destination is a terminal: then no progress is shown.
bool is_terminal(const Destination& destination);

}  // namespace foldline::cli
