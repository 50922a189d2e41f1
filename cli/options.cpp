#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "check_together.hpp"
#include "command_line.hpp"
#include "completions.hpp"
#include "describe.hpp"
#include "integrate_options.hpp"
#include "manual.hpp"
#include "order_options.hpp"
#include "samples_options.hpp"
#include "shape.hpp"
#include "suggest.hpp"

namespace foldline::cli {
namespace {

Options text_to_print(std::string text) {
  Options options;
  options.action = Action::print;
  options.text = std::move(text);
  return options;
}

/// The command that was named, or the application.
const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen[0];
}

std::string see_help(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  return "; see foldline " + (&command == &app ? "" : command.get_name() + " ") + "--help";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const OptionDescription& option : describe(command).options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CommandDescription& command : describe(app).commands) names.push_back(command.name);
  return names;
}

/// The message about an unknown command, option or argument; empty if there is none.
std::string complaint_about_words(const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  const std::vector<std::string> words = app.remaining(true);
  const auto complaint = [&](const std::string& what, const std::string& word,
                             const std::vector<std::string>& candidates) {
    if (std::ranges::find(candidates, word) != candidates.end())
      return "the " + what + " '" + word + "' goes behind the command" + see_help(app);
    const std::string guess = suggestion(word, candidates);
    return "unknown " + what + " '" + word + "'" + (guess.empty() ? see_help(app) : guess);
  };
  const auto unknown_command = [&](const std::string& word) {
    std::error_code ignored;
    if (std::filesystem::exists(word, ignored) || word.find('.') != std::string::npos)
      return "unknown command '" + word + "'; name one before the file, as in foldline stats " + word;
    std::vector<std::string> names = command_names(app);
    const std::string all = CLI::detail::join(names, ", ");
    names.emplace_back("--version");
    const std::string guess = suggestion(word, names);
    return "unknown command '" + word + "'" + (guess.empty() ? "; there are " + all + see_help(app) : guess);
  };
  // Without a command, its options are unknown.
  const bool begins_with_option = !words.empty() && words[0].starts_with("-") && words[0] != "-";
  if (&command == &app && !words.empty() && !begins_with_option) return unknown_command(words[0]);
  for (const std::string& word : words)
    if (word.starts_with("-") && word != "-")
      return complaint("option", word.substr(0, word.find('=')), option_names(command));
  if (words.empty()) return "";
  return "'" + words[0] + "' is one argument too many" + see_help(app);
}

/// CLI11's messages about what is missing, and about formats that another option has, in plainer words.
std::string plainly(const std::string& message, const CLI::App& command) {
  constexpr std::string_view is_required = " is required", one_required = ": 1 required ",
                             missing = " missing";
  if (message.ends_with(is_required)) {
    const std::string example = describe(command).examples;  // a heading, then lines that are indented
    const std::size_t first = std::min(example.find("foldline"), example.size());
    return message.substr(0, message.size() - is_required.size()) + " is missing, as in " +
           example.substr(first, example.find('\n', first) - first);
  }
  if (const std::size_t at = message.find(one_required);
      at != std::string::npos && message.ends_with(missing)) {
    const std::size_t value = at + one_required.size();
    return message.substr(0, at) + " needs a value, " +
           message.substr(value, message.size() - missing.size() - value);
  }
  for (const std::string_view format : {"json", "csv", "tsv", "table", "text", "npy"})
    if (message.starts_with(fmt::format("--format: '{}'", format)))
      return fmt::format("{}; did you mean --output-format {}?", message, format);
  return message;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  // CLI11 reports a missing FILE first, but a mistyped option may have taken it.
  if (const std::string about_words = complaint_about_words(app); !about_words.empty()) return about_words;
  const std::string what = plainly(error.what(), chosen_command(app));
  return what.ends_with("?") ? what : what + see_help(app);
}

Options put_together(const Parsed& parsed) {
  Options options = parsed.options;
  if (options.action == Action::integrate) {
    for (std::string* const formula :
         {&options.integral.formula, &options.integral.begin, &options.integral.end})
      if (formula->starts_with(" -")) formula->erase(0, 1);  // see reversed()
    check_integral(options);
  }
  const bool is_of_order = options.action == Action::quantile || options.action == Action::histogram;
  const bool reads_files = options.action == Action::compute || options.action == Action::scan ||
                           options.action == Action::matmul || options.action == Action::samples ||
                           is_of_order;
  if (!reads_files) return options;
  if (parsed.is_raw) {
    options.raw = parsed.raw;
    if (!parsed.shape.empty()) options.raw->shape = parse_shape(parsed.shape);
  }
  if (!parsed.first.empty()) options.files = {parsed.first};
  if (!parsed.second.empty()) options.second_file = parsed.second;
  if (options.operation == Operation::mean && (options.second_file || options.text_options.weights))
    options.operation = Operation::weighted_mean;
  if (options.output_format == OutputFormat::json) {
    options.json = true;
    options.output_format.reset();
  }
  set_default_fractions(options);
  check_together(options);
  if (options.action == Action::samples) check_samples(options);
  if (is_of_order) check_order_statistics(options);
  return options;
}

/// Whether the arguments are for foldline-ladder: all behind `ladder` but a request for help.
bool are_for_ladder(const std::vector<std::string>& words) {
  return !words.empty() && words[0] == "ladder" &&
         (words.size() != 2 || (words[1] != "--help" && words[1] != "-h"));
}

Options for_ladder(const std::vector<std::string>& words) {
  Options options;
  options.action = Action::ladder;
  options.arguments.assign(words.begin() + 1, words.end());
  return options;
}

/// The arguments; `help sum` is another way to write `sum --help`.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

/// The arguments in the order that CLI11 takes, last one first. A blank is put before formulas such as "-x"
/// or "-inf", which CLI11 would take for options.
std::vector<std::string> reversed(std::vector<std::string> words) {
  if (!words.empty() && words[0] == "integrate")
    for (std::string& word : words)
      if (is_negative_formula(word)) word.insert(0, " ");
  std::ranges::reverse(words);
  return words;
}

/// `help smu` must not look like success.
void refuse_unknown_command(const std::vector<std::string>& words, const CLI::App& app) {
  const bool is_word = !words.empty() && !words[0].starts_with("-") && words[0] != "help";
  if (!is_word || !app.get_subcommands().empty()) return;
  const std::string guess = suggestion(words[0], command_names(app));
  throw UsageError("unknown command '" + words[0] + "'" + (guess.empty() ? "; see foldline --help" : guess));
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  const std::vector<std::string> words = words_of(argc, argv);
  if (are_for_ladder(words)) return for_ladder(words);
  Parsed parsed;
  CLI::App app("", "foldline");
  define_command_line(app, parsed, words.empty() ? "" : words[0]);
  try {
    app.parse(reversed(words));
  } catch (const CLI::CallForHelp&) {
    refuse_unknown_command(words, app);
    return text_to_print(app.help());
  } catch (const CLI::CallForVersion& version) {
    return text_to_print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw UsageError(complaint(app, error));
  }
  if (app.get_subcommands().empty()) throw UsageError("name a command, such as sum; see foldline --help");
  if (parsed.wants_manual) return text_to_print(manual(describe(app)));
  if (parsed.shell) return text_to_print(completions(describe(app), *parsed.shell));
  return put_together(parsed);
}

}  // namespace foldline::cli
