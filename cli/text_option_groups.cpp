// The options of texts.
#include <algorithm>
#include <charconv>

#include "choices.hpp"
#include "option_groups.hpp"

namespace foldline::cli {
namespace {

const Choices<TextHeader> headers = {
    {"auto", TextHeader::automatic}, {"yes", TextHeader::present}, {"no", TextHeader::absent}};

const Choices<char> decimal_marks = {{".", '.'}, {",", ','}, {"point", '.'}, {"comma", ','}};

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

/// The words between commas, also empty ones.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == ',')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

/// Whether there is a comma between digits: two markers, or one number with a decimal comma.
bool has_comma_between_digits(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if (text[i] == ',' && is_digit(text[i - 1]) && is_digit(text[i + 1])) return true;
  return false;
}

void add_words(CLI::App& command, const std::string& name, TextOptions& options,
               std::vector<std::string>& words, const std::string& text) {
  command
      .add_option_function<std::vector<std::string>>(
          name,
          [&options, &words](const std::vector<std::string>& given) {
            for (const std::string& list : given) {
              options.has_comma_in_marker |= has_comma_between_digits(list);
              std::ranges::copy(words_of(list), std::back_inserter(words));
            }
          },
          text)
      ->allow_extra_args(false)
      ->type_name("WORD,...")
      ->group(text_group);
}

void add_missing_options(CLI::App& command, TextOptions& text) {
  command
      .add_flag("--skip-missing", text.skip_missing,
                "Pass over empty fields and NA instead of failing; in dot and weighted means over the row")
      ->group(text_group);
  add_words(
      command, "--missing", text, text.missing,
      "What stands for no value too, besides empty fields, NA and the like; a number is any field of that "
      "value: -999 is also -999.0. May be repeated");
  add_words(command, "--only-missing", text, text.only_missing,
            "The same, and nothing else stands for no value");
}

void add_number_options(CLI::App& command, TextOptions& text) {
  add_choice(command, "--decimal", text.decimal_mark, decimal_marks, "What begins fractions (default: .)")
      ->group(text_group);
  command
      .add_option_function<std::string>(
          "--thousands",
          [&text](const std::string& mark) {
            text.thousands = mark == "space" || mark == "blank" ? " " : mark;
          },
          "What may stand between thousands, as in 1.234,5: a point, a comma, an apostrophe or a space (any "
          "space, no-break ones too)")
      ->type_name("CHARACTER")
      ->group(text_group);
  command
      .add_flag(
          "--fortran", text.fortran,
          "1D5 and 1.0-113 are numbers, too, as Fortran writes exponents (1.0D5 and 1D+5 are in any case)")
      ->group(text_group);
}

}  // namespace

TextColumn column_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  return text;
}

void add_text_options(CLI::App& command, Parsed& parsed) {
  TextOptions& text = parsed.options.text_options;
  command.add_flag("--text", text.forced, "The files are texts, whatever they begin like")->group(text_group);
  command
      .add_flag_callback(
          "--csv", [&text] { text.forced = text.csv = true; },
          "They are texts, with commas between the columns unless --separator says otherwise; semicolons if "
          "commas begin fractions")
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
  add_choice(command, "--header", text.header, headers,
             "Whether the first line names the columns (default: auto, it does if one of the fields that are "
             "asked for "
             "can only be a name there; names that are numbers, such as years, need yes)")
      ->group(text_group);
  command
      .add_option_function<std::string>(
          "--comment",
          [&text](const std::string& value) {
            text.comment = value == "none" ? TextFormat::no_comment : character_of(value);
          },
          "Begins a line to ignore, or none (default: # in texts between blanks; in CSV none, but for lines "
          "in "
          "front of the first row that begin with # and a blank)")
      ->check(check_comment)
      ->type_name("CHARACTER")
      ->group(text_group);
  add_missing_options(command, text);
  add_number_options(command, text);
  command.add_option("--skip-lines", text.skip_lines, "Lines at the start to pass over, whatever they hold")
      ->check(whole_number(0))
      ->type_name("N")
      ->group(text_group);
  command
      .add_option(
          "--longest-line", text.longest_line,
          "The longest line that is accepted, which bounds the memory (default: 2^26); lines of numbers "
          "between blanks may be of any length")
      ->check(whole_number(1, std::int64_t{1} << 40))
      ->type_name("BYTES")
      ->group(text_group);
}

void add_many_columns_options(CLI::App& command, Options& options) {
  command.add_flag("--each-column", options.text_options.each_column, "One result for each column of a text")
      ->group(text_group);
  command
      .add_flag("--all-columns", options.text_options.all_columns,
                "One result for the numbers of all columns together, as of a matrix")
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
  command
      .add_option("--allow-keys", text.allow_keys,
                  "Allow so many groups, whatever memory they take (default: as many as fit half of it)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{INT32_MAX}))
      ->type_name("N")
      ->group(text_group);
  command.add_flag("--sort", text.sorted, "The groups by their texts, column by column; numbers by size")
      ->group(text_group);
}

}  // namespace foldline::cli
