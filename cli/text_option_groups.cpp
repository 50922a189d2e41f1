// The options of texts.
#include <algorithm>
#include <charconv>

#include "choices.hpp"
#include "option_groups.hpp"

namespace foldline::cli {
namespace {

const Choices<TextHeader> headers = {
    {"auto", TextHeader::automatic}, {"yes", TextHeader::present}, {"no", TextHeader::absent}};

struct NamedCharacter {
  const char* name;
  char character;
};
constexpr NamedCharacter named_characters[] = {{"tab", '\t'},  {"\\t", '\t'},  {"space", ' '},
                                               {"blank", ' '}, {"comma", ','}, {"semicolon", ';'}};

/// The character that a text stands for; NUL if it is not one.
char character_of(const std::string& text) {
  const auto* const named = std::ranges::find(named_characters, text, &NamedCharacter::name);
  if (named != std::end(named_characters)) return named->character;
  return text.size() == 1 ? text[0] : '\0';
}

std::string check_character(const std::string& text) {
  return character_of(text) != '\0' ? "" : "'" + text + "' is not a single character, nor tab or space";
}

std::string check_comment(const std::string& text) { return text == "none" ? "" : check_character(text); }

}  // namespace

TextColumn column_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  return text;
}

void add_text_options(CLI::App& command, Parsed& parsed) {
  TextOptions& text = parsed.options.text_options;
  command.add_flag("--text", text.forced, "The files are texts, whatever their names say")->group(text_group);
  command
      .add_flag_callback(
          "--csv", [&text] { text.forced = true, text.separator = text.separator.value_or(','); },
          "They are texts, with commas between the columns unless --separator says otherwise")
      ->group(text_group);
  command
      .add_option_function<std::vector<std::string>>(
          "--column",
          [&text](const std::vector<std::string>& names) {
            std::ranges::transform(names, std::back_inserter(text.columns), column_of);
          },
          "Columns by name or by number, from 1; may be repeated")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("NAME,...")
      ->group(text_group);
  command
      .add_option_function<std::string>(
          "--separator", [&text](const std::string& value) { text.separator = character_of(value); },
          "What is between columns, a character or tab or space; space is any number of blanks (default: the "
          "first of tab, semicolon and comma that the first line has, else space)")
      ->check(check_character)
      ->type_name("CHARACTER")
      ->group(text_group);
  add_choice(
      command, "--header", text.header, headers,
      "Whether the first line names the columns (default: auto, it does if none of the fields that are "
      "asked for is a number there)")
      ->group(text_group);
  command
      .add_option_function<std::string>(
          "--comment",
          [&text](const std::string& value) {
            text.comment = value == "none" ? std::nullopt : std::optional(character_of(value));
          },
          "Begins a line to ignore, or none (default: #)")
      ->check(check_comment)
      ->type_name("CHARACTER")
      ->group(text_group);
  command
      .add_flag("--skip-missing", text.skip_missing,
                "Pass over empty fields and NA instead of failing; in dot and weighted means over the row")
      ->group(text_group);
}

void add_group_options(CLI::App& command, Options& options) {
  TextOptions& text = options.text_options;
  command
      .add_option_function<std::vector<std::string>>(
          "--by",
          [&text](const std::vector<std::string>& names) {
            std::ranges::transform(names, std::back_inserter(text.key), column_of);
          },
          "One result for each group of rows that have the same text in this column, or in each of these, in "
          "the order in which the groups appear; may be repeated")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("NAME,...")
      ->group(text_group);
  command.add_flag("--sort", text.sorted, "The groups by their texts, column by column; numbers by size")
      ->group(text_group);
}

}  // namespace foldline::cli
