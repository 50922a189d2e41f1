// The definition of the command line: what parsing, --help, the manual page and the completions all come
// from.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "options.hpp"

namespace foldline::cli {

/// What parsing fills in, before it becomes Options.
struct Parsed {
  Options options;
  RawFormat raw;
  bool is_raw = false;
  std::string shape;           ///< of raw numbers
  std::string first;           ///< the one array, or the first
  std::string second;          ///< the other array of dot, or the weights
  std::optional<Shell> shell;  ///< to print the completions of
  bool wants_manual = false;
};

/// Defines a command with an example of its arguments.
CLI::App* add_command(CLI::App& app, Parsed& parsed, const std::string& name, const std::string& text,
                      const std::string& example, Action action);

/// Defines everything on `app`; `parsed` must live as long as it. If `only` names a computation such as sum,
/// that is all there is: to define all takes about as long as the rest of a sum of a short file.
void define_command_line(CLI::App& app, Parsed& parsed, std::string_view only);

}  // namespace foldline::cli
