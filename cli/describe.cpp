#include "describe.hpp"

namespace foldline::cli {

std::string OptionDescription::usage() const {
  std::string shown = value + (repeats ? "..." : "");
  if (names.empty()) return shown;
  return CLI::detail::join(names, ", ") + (shown.empty() ? "" : " " + shown);
}

OptionDescription describe(const CLI::Option& option) {
  OptionDescription result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  const bool positional = result.names.empty();
  if (positional)
    result.value = option.get_name();
  else if (option.get_type_size() != 0)
    result.value = option.get_type_name();
  if (result.value.find('|') != std::string::npos) result.choices = CLI::detail::split(result.value, '|');
  if (positional && option.get_type_name().find('|') != std::string::npos)
    result.choices = CLI::detail::split(option.get_type_name(), '|');
  result.text = option.get_description();
  result.group = option.get_group();
  result.takes_file = option.get_type_name() == "FILE";
  result.repeats = positional && option.get_expected_max() > 1;
  return result;
}

CommandDescription describe(const CLI::App& app) {
  CommandDescription result{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? result.positionals : result.options).push_back(describe(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    result.commands.push_back(describe(*command));
  return result;
}

}  // namespace foldline::cli
