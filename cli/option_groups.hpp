// Options that many commands share.
#pragma once

#include <CLI/CLI.hpp>

#include "command_line.hpp"

namespace foldline::cli {

/// --json, --format, --output-type
void add_output_options(CLI::App& command, Options& options);
/// --accuracy, --threads, --target, --device, --explain
void add_computation_options(CLI::App& command, Options& options);
/// --input-type, --shape, --offset, --byte-order
void add_raw_options(CLI::App& command, Parsed& parsed);

}  // namespace foldline::cli
