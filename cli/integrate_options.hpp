// The options of `foldline integrate`.
#pragma once

#include <string_view>

#include "command_line.hpp"

namespace foldline::cli {

void add_integrate(CLI::App& app, Parsed& parsed);

/// Refuses, with a UsageError, options that do not go together.
void check_integral(const Options& options);

/// Whether a word begins with a minus sign that is none of an option: "-x^2", "-inf", "-(1+x)".
bool is_negative_formula(std::string_view word);

}  // namespace foldline::cli
