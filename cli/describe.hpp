// What the command line's definition says, as plain data: help, manual and completions are made of it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace foldline::cli {

/// An option, a flag or (without names) a positional argument.
struct OptionDescription {
  std::vector<std::string> names;    ///< "-o", "--output"
  std::string value;                 ///< "N", "FILE", "a|b|c"; empty for a flag
  std::vector<std::string> choices;  ///< "a", "b", "c"
  std::string text, group;
  bool takes_file = false;
  bool repeats = false;

  /// "-o, --output FILE"
  std::string usage() const;
};

struct CommandDescription {
  std::string name, text;
  std::string examples;  ///< a heading, and lines that are indented by two blanks
  std::vector<OptionDescription> positionals, options;
  std::vector<CommandDescription> commands;
};

OptionDescription describe(const CLI::Option& option);
CommandDescription describe(const CLI::App& app);

}  // namespace foldline::cli
