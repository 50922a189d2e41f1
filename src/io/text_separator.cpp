#include "io/text_separator.hpp"

#include <algorithm>
#include <array>

#include "io/text_spelling.hpp"

namespace foldline::io {
namespace {

/// Calls f(c, before) for the characters of the first line that are outside of quotes, to its end or until f
/// returns false. As the separator is not known yet, a quote opens after anything that may be one, and after
/// a quote.
template <class Function>
const char* scan_first_line(std::string_view text, const Function& f) {
  bool quotes = false;
  char before = ' ';
  for (const char& c : text) {
    if (c == '"')
      quotes = !quotes && std::string_view("\t ;,\"").find(before) != std::string_view::npos;
    else if (!quotes && (is_line_end(c) || !f(c, before)))
      return &c;
    before = c;
  }
  return text.data() + text.size();
}

/// The first of tab, semicolon and comma that a line has outside of quotes, else blank. Semicolon before
/// comma: a line with both is one of decimal commas, and the message about them should show a whole number.
/// `is_cut`: a comment ends the line early; one may follow numbers that blanks separate, and have a comma.
char find_separator(std::string_view line, std::optional<char> comment, const TextFormat& format,
                    bool& is_cut) {
  std::array<bool, 256> has = {};
  is_cut = false;
  scan_first_line(line, [&](char c, char before) {
    is_cut = c == comment && (before == ' ' || before == '\t');
    has[static_cast<unsigned char>(c)] = !is_cut;
    return !is_cut;
  });
  for (const char c : {'\t', ';', ','})
    if (has[static_cast<unsigned char>(c)] && !is_in_numbers(c, format)) return c;
  return is_in_numbers(' ', format) ? '\t' : ' ';
}

/// The line that begins at `first`, without its end; as much of it is read as necessary.
std::string_view line_at(TextSource& source, std::size_t first) {
  for (;;) {
    const std::string_view text = source.start().substr(first);
    const char* const end = scan_first_line(text, [](char, char) { return true; });
    const auto size = static_cast<std::size_t>(end - text.data());
    const bool is_whole = size != text.size();
    // To grow may move the text, also where there is no more.
    if (is_whole || source.start().size() > most_looked_at || !source.grow())
      return source.start().substr(first, size);
  }
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

/// Where the next line begins that is not blank; the end of what there is if none does.
std::size_t next_line_at(TextSource& source, std::size_t first) {
  do {
    first = std::min(first + line_at(source, first).size() + 1, source.start().size());
    if (first == source.start().size() && first <= most_looked_at) source.grow();
  } while (first != source.start().size() && is_blank(line_at(source, first)));
  return first;
}

/// Whether a field in quotes is a number with a comma in it.
bool is_number_with_comma(std::string_view field) {
  return field.find(',') != std::string_view::npos &&
         field.find_first_of("0123456789") != std::string_view::npos &&
         field.find_first_not_of("0123456789.,'+-eE ") == std::string_view::npos;
}

/// Whether commas separate the fields of a line, one of which is a number in quotes with a comma of its own:
/// 7,"1,5".
bool quotes_commas(std::string_view line) {
  for (std::size_t first = line.find('"'); first != std::string_view::npos;) {
    const std::size_t last = line.find('"', first + 1);
    if (last == std::string_view::npos) return false;
    const bool at_begin = first == 0, at_end = last + 1 == line.size();
    const bool is_field = (at_begin || line[first - 1] == ',') && (at_end || line[last + 1] == ',');
    if (is_field && !(at_begin && at_end) && is_number_with_comma(line.substr(first + 1, last - first - 1)))
      return true;
    first = line.find('"', last + 1);
  }
  return false;
}

/// Whether one of the first lines does.
bool quotes_commas(TextSource& source) {
  constexpr int most_lines = 64;
  std::size_t line = 0;
  for (int i = 0; i < most_lines && line < source.start().size() && line <= most_looked_at; ++i) {
    if (quotes_commas(line_at(source, line))) return true;
    line = next_line_at(source, line);
  }
  return false;
}

/// The first line that does not begin like a comment; none if there is none in reach.
std::optional<std::size_t> first_line_without(TextSource& source, char comment) {
  const auto is_comment = [&](std::string_view line) {
    return line.find_first_not_of(" \t") == line.find(comment) && !is_blank(line);
  };
  std::size_t line = 0;
  while (line < source.start().size() && is_comment(line_at(source, line))) line = next_line_at(source, line);
  return line < source.start().size() ? std::optional(line) : std::nullopt;
}

/// What looks like a comment may be part of a name, as in "Item #,Amount"; the second line tells.
char separator_of_first_line(TextSource& source, const TextFormat& format) {
  const char comment = format.comment.value_or('#');
  const std::optional<std::size_t> first = first_line_without(source, comment);
  bool is_cut = false;
  if (!first) return find_separator(line_at(source, 0), std::nullopt, format, is_cut);
  const char separator = find_separator(line_at(source, *first), comment, format, is_cut);
  const std::size_t next = next_line_at(source, *first);
  if (separator != ' ' || !is_cut || next == source.start().size()) return separator;
  return find_separator(line_at(source, next), comment, format, is_cut);
}

}  // namespace

char choose_separator(TextSource& source, const TextFormat& format) {
  if (format.separator) return *format.separator;
  const char separator = separator_of_first_line(source, format);
  const bool found_none = separator == ' ' || separator == '\t';
  return found_none && is_in_numbers(',', format) && quotes_commas(source) ? ',' : separator;
}

}  // namespace foldline::io
