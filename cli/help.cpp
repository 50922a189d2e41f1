#include "help.hpp"

#include "describe.hpp"

namespace foldline::cli {
namespace {

constexpr std::size_t line_width = 80, names_width = 26;

/// "  --threads N             Threads; 0 is as many as are worth it"
std::string entry(const std::string& names, const std::string& text) {
  std::string line = "  " + names;
  const bool fits = line.size() + 2 <= names_width;
  line += fits ? std::string(names_width - line.size(), ' ') : "\n" + std::string(names_width, ' ');
  return line + wrapped(text, line_width - names_width, names_width) + "\n";
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) result += ' ';
    result += word;
    column += word.size() + (column > 0 ? 1 : 0);
  }
  return result;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const CommandDescription command = describe(*app);
  return command.examples + "\n" + command.text + ".\n" + make_usage(app, std::move(name)) +
         make_positionals(app) + make_option_groups(app) + make_subcommands(app, mode);
}

std::string HelpFormatter::make_option_groups(const CLI::App* app) const {
  std::string text;
  for (const std::string& group : app->get_groups()) {
    const auto options = app->get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
    if (!group.empty() && !options.empty()) text += make_group(group, false, options);
  }
  return text;
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  std::string text = "\n" + group + ":\n";
  for (const CLI::Option* option : options) text += make_option(option, is_positional);
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool) const {
  const OptionDescription described = describe(*option);
  return entry(described.usage(), described.text);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace foldline::cli
