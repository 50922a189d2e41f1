// Refuses combinations of options that make no sense.
#pragma once

#include "options.hpp"

namespace foldline::cli {

/// Throws UsageError if what the options ask for makes no sense as a whole, before any file is opened.
void check_together(const Options& options);

}  // namespace foldline::cli
