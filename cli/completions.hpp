// Completions for shells.
#pragma once

#include <string>

#include "describe.hpp"
#include "options.hpp"

namespace foldline::cli {

/// A script that teaches the shell the commands, their options and the choices of these; file names
/// elsewhere.
std::string completions(const CommandDescription& app, Shell shell);

}  // namespace foldline::cli
