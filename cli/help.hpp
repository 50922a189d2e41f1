// How --help looks: examples first, then options with their descriptions wrapped.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace foldline::cli {

/// Breaks a text at blanks so that no line is longer than `width` where words allow it; the lines after the
/// first are indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// A command's footer holds its examples.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string make_option_groups(const CLI::App* app) const;
};

}  // namespace foldline::cli
