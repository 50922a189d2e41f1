#include "header_note.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "printable.hpp"

namespace foldline::cli {
namespace {

bool is_named(const std::optional<TextColumn>& column) {
  return column && std::holds_alternative<std::string>(*column);
}

/// Whether the options leave it open whether there is a header.
bool is_guess(const TextOptions& text) {
  return text.header == TextHeader::automatic && std::ranges::none_of(text.columns, is_named) &&
         std::ranges::none_of(text.key, is_named) && !is_named(text.weights);
}

bool is_year(const std::string& field) {
  const bool is_integer = field.size() == 4 && field.find_first_not_of("0123456789") == std::string::npos;
  return is_integer && field >= "1900" && field <= "2100";
}

/// Whether a row of several columns has years and no other numbers, as the names of columns do.
bool may_name_years(const std::vector<std::string>& row) {
  const auto is_year_or_text = [](const std::string& field) {
    return is_year(field) || field.find_first_of("0123456789+-.") != 0;
  };
  return row.size() > 1 && std::ranges::any_of(row, is_year) && std::ranges::all_of(row, is_year_or_text);
}

std::string list_of(const std::vector<std::string>& fields) {
  constexpr std::size_t most = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(fields.size(), most); ++i)
    list += (i == 0 ? "" : ", ") + printable(fields[i]);
  return list + (fields.size() > most ? fmt::format(", and {} more", fields.size() - most) : "");
}

}  // namespace

void note_header(const TextReader& reader, const Options& options) {
  if (::isatty(STDERR_FILENO) != 1 || !is_guess(options.text_options)) return;
  const std::vector<std::string>& line = reader.first_line();
  if (reader.has_header())
    fmt::print(stderr,
               "foldline: note: {}: the first line is taken for a header ({}); --header no says it is none\n",
               escaped(reader.name()), list_of(line));
  else if (reader.separator() != ' ' && may_name_years(line))
    fmt::print(
        stderr,
        "foldline: note: {}: the first line is taken for numbers ({}); --header yes says they are names\n",
        escaped(reader.name()), list_of(line));
}

}  // namespace foldline::cli
