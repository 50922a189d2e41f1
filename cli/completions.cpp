// The scripts are short because an option has the same choices in every command.
#include "completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string_view>

namespace foldline::cli {
namespace {

/// The first clause of a description: "How numbers are printed" of "How numbers are printed: ...".
std::string brief(const std::string& text) {
  std::size_t end = text.size();
  for (const char* const sign : {": ", " (", "; ", ". "}) end = std::min(end, text.find(sign));
  return text.substr(0, end);
}

/// A word in single quotes, for any of the shells.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::vector<std::string> command_names_of(const CommandDescription& app) {
  std::vector<std::string> names;
  names.reserve(app.commands.size());
  for (const CommandDescription& command : app.commands) names.push_back(command.name);
  return names;
}

/// Words to complete the positional arguments with: file names, or the choices of the first one.
std::vector<std::string> choices_of(const CommandDescription& command) {
  return command.positionals.empty() ? std::vector<std::string>() : command.positionals[0].choices;
}

std::string case_line(const std::set<std::string>& patterns, const std::string& action) {
  if (patterns.empty()) return "";
  return fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), action);
}

std::string bash_cases_of_values(const CommandDescription& app) {
  std::map<std::string, std::string> choices;
  std::set<std::string> files, others;
  for (const CommandDescription& command : app.commands)
    for (const OptionDescription& option : command.options)
      for (const std::string& name : option.names) {
        if (!option.choices.empty())
          choices[name] = fmt::format("{}", fmt::join(option.choices, " "));
        else if (option.takes_file)
          files.insert(name);
        else if (!option.value.empty())
          others.insert(name);
      }
  std::string text;
  for (const auto& [name, words] : choices)
    text += fmt::format("    {}) words={} ;;\n", name, in_quotes(words));
  return text + case_line(files, "files=yes") + case_line(others, "return");
}

std::string bash_cases_of_commands(const CommandDescription& app) {
  std::string text;
  for (const CommandDescription& command : app.commands) {
    std::vector<std::string> names;
    for (const OptionDescription& option : command.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    const std::vector<std::string> choices = choices_of(command);
    const std::string arguments =
        command.positionals.empty() ? ""
        : choices.empty()
            ? " files=yes"
            : fmt::format(" arguments={}", in_quotes(fmt::format("{}", fmt::join(choices, " "))));
    text += fmt::format("    {}) options={}{} ;;\n", command.name,
                        in_quotes(fmt::format("{}", fmt::join(names, " "))), arguments);
  }
  return text;
}

std::string bash(const CommandDescription& app) {
  const std::string commands = fmt::format("{}", fmt::join(command_names_of(app), " "));
  return R"(# Completions of foldline for bash, made by: foldline completions bash
_foldline() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local words='' options='' arguments='' files=''
  # bash takes --format=hex apart at the sign.
  if [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $current == '=' ]]; then current=''; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W ')" +
         commands + R"( --help --version' -- "$current")
    return
  fi
  case $previous in
)" + bash_cases_of_values(app) +
         R"(  esac
  if [[ -z $words$files ]]; then
    case ${COMP_WORDS[1]} in
)" + bash_cases_of_commands(app) +
         R"(    esac
    if [[ $current == -* ]]; then words=$options files=''; else words=$arguments; fi
  fi
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -F _foldline foldline
)";
}

/// A text inside an argument of zsh's _arguments or _describe.
std::string escaped_for_zsh(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_values(const OptionDescription& option) {
  if (option.value.empty()) return "";
  const std::string message = ":" + escaped_for_zsh(option.choices.empty() ? option.value : "choice");
  if (!option.choices.empty()) return fmt::format("{}:({})", message, fmt::join(option.choices, " "));
  return message + (option.takes_file ? ":_files" : ":");
}

std::string zsh_command(const CommandDescription& command) {
  std::string text = fmt::format("    {})\n      _arguments", command.name);
  for (const OptionDescription& option : command.options)
    for (const std::string& name : option.names)
      text += " \\\n        " + in_quotes(fmt::format("{}[{}]{}", name, escaped_for_zsh(brief(option.text)),
                                                      zsh_values(option)));
  for (const OptionDescription& positional : command.positionals)
    text += " \\\n        " + in_quotes((positional.repeats ? "*" : "") + zsh_values(positional));
  return text + "\n      ;;\n";
}

std::string zsh(const CommandDescription& app) {
  std::string text = R"(#compdef foldline
# Completions of foldline for zsh, made by: foldline completions zsh
_foldline() {
  local -a commands=(
)";
  for (const CommandDescription& command : app.commands)
    text += "    " + in_quotes(command.name + ":" + escaped_for_zsh(brief(command.text))) + "\n";
  text += R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
)";
  for (const CommandDescription& command : app.commands) text += zsh_command(command);
  return text + R"(  esac
}
# Called by the completion system, or sourced.
if [[ ${funcstack[1]} == _foldline ]]; then _foldline "$@"; else compdef _foldline foldline; fi
)";
}

std::string fish_option(const CommandDescription& command, const OptionDescription& option) {
  std::string text = fmt::format("complete -c foldline -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    text += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
  else if (option.takes_file)
    text += " -r -F";
  else if (!option.value.empty())
    text += " -x";
  return text + " -d " + in_quotes(brief(option.text)) + "\n";
}

std::string fish(const CommandDescription& app) {
  std::string text =
      "# Completions of foldline for fish, made by: foldline completions fish\ncomplete -c foldline -f\n";
  for (const CommandDescription& command : app.commands)
    text += fmt::format("complete -c foldline -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        in_quotes(brief(command.text)));
  for (const CommandDescription& command : app.commands) {
    const std::vector<std::string> choices = choices_of(command);
    const std::string condition =
        fmt::format("complete -c foldline -n '__fish_seen_subcommand_from {}'", command.name);
    if (!choices.empty())
      text += fmt::format("{} -a {}\n", condition, in_quotes(fmt::format("{}", fmt::join(choices, " "))));
    else if (!command.positionals.empty())
      text += condition + " -F\n";
    for (const OptionDescription& option : command.options) text += fish_option(command, option);
  }
  return text;
}

}  // namespace

std::string completions(const CommandDescription& app, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash(app);
    case Shell::zsh:
      return zsh(app);
    case Shell::fish:
      break;
  }
  return fish(app);
}

}  // namespace foldline::cli
