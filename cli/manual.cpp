// Written with the macros of man(7). Options that commands share are listed once.
#include "manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <foldline/version.hpp>

namespace foldline::cli {
namespace {

/// Plain text as roff: a hyphen stays one that can be copied, alternatives may break after a bar, and
/// nothing looks like a request.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '|')
      result += "|\\:";
    else
      result += c;
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string tagged(const std::string& names, const std::string& text) {
  return ".TP\n\\fB" + escaped(names) + "\\fR\n" + escaped(text) + "\n";
}

std::string tagged(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  if (!option.value.empty()) names += (names.empty() ? "\\fI" : " \\fI") + escaped(option.value) + "\\fR";
  return ".TP\n" + names + "\n" + escaped(option.text) + "\n";
}

/// The lines of an example as they are, the heading left out.
std::string example(const std::string& text) {
  std::string lines;
  for (std::size_t at = text.find('\n'); at != std::string::npos && at + 1 < text.size();) {
    const std::size_t end = text.find('\n', at + 1);
    const std::string_view line = std::string_view(text).substr(at + 1, end - at - 1);
    lines += escaped(line.substr(line.starts_with("  ") ? 2 : 0)) + "\n";
    at = end;
  }
  return ".PP\n.nf\n" + lines + ".fi\n";
}

std::string synopsis(const CommandDescription& command) {
  std::string text = ".SY foldline\n\\fB" + escaped(command.name) + "\\fR";
  for (const OptionDescription& positional : command.positionals)
    text += " \\fI" + escaped(positional.usage()) + "\\fR";
  if (command.options.size() > 1) text += " [\\fIoptions\\fR]";
  return text + "\n.YS\n";
}

using Groups = std::vector<std::pair<std::string, std::vector<OptionDescription>>>;

/// Every option once, by groups, with the commands that have it unless all computations do.
Groups grouped_options(const CommandDescription& app) {
  Groups groups;
  for (const CommandDescription& command : app.commands)
    for (const OptionDescription& option : command.options) {
      auto group = std::ranges::find(groups, option.group, &Groups::value_type::first);
      if (group == groups.end()) group = groups.insert(groups.end(), {option.group, {}});
      const auto same = [&](const OptionDescription& other) { return other.names == option.names; };
      if (std::ranges::none_of(group->second, same)) group->second.push_back(option);
    }
  return groups;
}

std::string commands_with(const CommandDescription& app, const OptionDescription& option) {
  std::string names;
  std::size_t count = 0;
  for (const CommandDescription& command : app.commands)
    if (std::ranges::find(command.options, option.names, &OptionDescription::names) !=
        command.options.end()) {
      names += (names.empty() ? "" : ", ") + command.name;
      ++count;
    }
  return count > 4 ? "" : " (" + names + ")";
}

}  // namespace

std::string manual(const CommandDescription& app) {
  std::string page =
      fmt::format(".TH FOLDLINE 1 \"\" \"foldline {}\" \"User Commands\"\n", foldline::version);
  page += ".SH NAME\nfoldline \\- " + escaped(app.text) + "\n.SH SYNOPSIS\n";
  for (const CommandDescription& command : app.commands) page += synopsis(command);
  page += ".SH COMMANDS\n";
  for (const CommandDescription& command : app.commands) page += tagged(command.name, command.text + ".");
  page +=
      ".SH OPTIONS\nWhich command has which option: \\fBfoldline\\fR \\fIcommand\\fR \\fB\\-\\-help\\fR.\n";
  for (const auto& [group, options] : grouped_options(app)) {
    page += ".SS " + escaped(group) + "\n";
    for (OptionDescription option : options) {
      option.text += commands_with(app, option);
      page += tagged(option);
    }
  }
  return page + ".SH EXAMPLES\n" + example(app.examples);
}

}  // namespace foldline::cli
