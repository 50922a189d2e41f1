// The plan of a computation: threads, instruction set, device.
#pragma once

#include <string>

#include "options.hpp"
#include "source.hpp"

namespace foldline::cli {

/// How the numbers of a source will be added. Throws UsageError if this machine cannot do what the options
/// ask for.
Plan make_plan(const Options& options, const Source& source);

/// The plan and the way the file is read, for people.
std::string explanation(const Options& options, const Source& source, const Plan& plan);

}  // namespace foldline::cli
