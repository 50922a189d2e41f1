#include "io/text_layout.hpp"

#include <algorithm>
#include <string_view>

#include "foldline/error.hpp"
#include "io/text_damage.hpp"
#include "io/text_header.hpp"
#include "io/text_message.hpp"
#include "io/text_names.hpp"
#include "io/text_preamble.hpp"
#include "io/text_separator.hpp"
#include "io/text_spelling.hpp"

namespace foldline::io {
namespace {

void validate_column(const TextColumn& column) {
  const auto* const number = std::get_if<std::int64_t>(&column);
  if (number != nullptr && *number < 1)
    throw InvalidArgument("column " + std::to_string(*number) + " does not exist; columns count from 1");
}

[[noreturn]] void fail(const TextSource& source, const std::string& what,
                       TextRemedy remedy = TextRemedy::none) {
  throw UnreadableText(source.name() + ": " + what, remedy);
}

[[noreturn]] void fail_in_line(const TextSource& source, std::int64_t line, const std::string& what,
                               TextRemedy remedy = TextRemedy::none) {
  fail(source, "line " + std::to_string(line) + what, remedy);
}

[[noreturn]] void fail_too_long(const TextSource& source, std::int64_t line) {
  fail_in_line(source, line, ": " + too_long_message(static_cast<std::int64_t>(source.longest_row())),
               TextRemedy::longest_row);
}

/// Removes whole lines from the start of the source.
void drop_lines(TextSource& source, TextLayout& layout, std::size_t size) {
  const std::string_view text = source.start().substr(0, size);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    fail_in_line(source, layout.lines + 1 + count_lines(text.substr(0, nul)), ": " + message_of_control('\0'),
                 TextRemedy::other_kind);
  layout.lines += count_lines(text);
  source.drop(size);
}

/// Whether a text that is less than a line is more than blanks and the beginning of a comment.
bool begins_row(std::string_view text, std::optional<char> comment) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first != std::string_view::npos && text[first] != comment;
}

/// Keeps the last comments, within a limit of memory.
void keep_comment(TextLayout& layout, std::string_view line) {
  constexpr std::size_t most_comments = 16;
  if (line.find_first_not_of(" \t\r\n") == std::string_view::npos || line.size() > most_looked_at) return;
  if (layout.comments.size() == most_comments) layout.comments.erase(layout.comments.begin());
  layout.comments.emplace_back(line);
}

/// Drops blank lines and comments in front of a row. Returns whether there is one.
bool drop_comments(TextSource& source, TextLayout& layout, const TextDialect& dialect) {
  for (;;) {
    const std::string_view text = whole_lines_of(source.start());
    const char* at = text.data();
    const char* const end = at + text.size();
    const char* line = at;
    while (at != end && !dialect.enter_row(at)) {
      if (static_cast<std::size_t>(at - line) > source.longest_row())
        fail_too_long(source, layout.lines + count_lines({text.data(), at}));
      keep_comment(layout, {line, at});
      line = at;
    }
    const bool found = line != end;
    drop_lines(source, layout, static_cast<std::size_t>(line - text.data()));
    if (found || begins_row(source.start(), dialect.comment())) return true;
    if (source.start().size() > source.longest_row() || !source.grow()) return !source.start().empty();
  }
}

/// The format with what begins comments, which in a text between blanks is '#' unless it says otherwise.
TextDialect dialect_of(char separator, const TextFormat& format) {
  std::vector<std::string> markers = format.missing_markers;
  if (!format.only_missing_markers) markers.emplace_back("#N/A");
  if (format.comment == TextFormat::no_comment || (!format.comment && separator != ' '))
    return {separator, std::nullopt, Comments::all, markers};
  return {separator, format.comment.value_or('#'), Comments::all, markers};
}

/// Finds the dialect, and drops what comes before the first row.
void find_dialect(TextSource& source, TextLayout& layout, const TextFormat& format) {
  // Until the separator is known, lines of blanks and tabs only are blank.
  const char separator = format.separator.value_or(' ');
  drop_comments(source, layout,
                format.comment || separator == '#' ? dialect_of(separator, format)
                                                   : TextDialect(separator, '#', Comments::clear));
  layout.dialect = dialect_of(choose_separator(source, format), format);
  drop_comments(source, layout, layout.dialect);
}

/// The size of the first row, of which as much as necessary is read; 0 if there is no row.
std::size_t find_first_row(TextSource& source, const TextLayout& layout) {
  for (;;) {
    const std::string_view text = whole_lines_of(source.start());
    const char* const first = text.data();
    const char* const row_end = text.empty() ? nullptr : layout.dialect.line_end(first, first + text.size());
    if (row_end != nullptr && static_cast<std::size_t>(row_end - first) <= source.longest_row())
      return static_cast<std::size_t>(row_end - first);
    if (source.start().size() > source.longest_row()) fail_too_long(source, layout.lines + 1);
    if (!source.grow()) return source.start().size();
  }
}

std::vector<std::string> fields_of(std::string_view row, const TextSource& source, const TextLayout& layout) {
  const TextDialect& dialect = layout.dialect;
  std::vector<std::string> fields;
  const char* at = row.data();
  const char* const end = at + row.size();
  if (row.empty() || !dialect.enter_row(at)) return fields;
  TextField field;
  do {
    const FieldEnd field_end = dialect.read_field(at, end, field);
    if (field_end != FieldEnd::proper)
      fail_in_line(
          source, layout.lines + 1,
          ", column " + std::to_string(fields.size() + 1) + ": " + std::string(message_of(field_end)),
          remedy_of(field_end));
    fields.push_back(field.value());
  } while (dialect.next_field(at));
  return fields;
}

/// The first row, or the part of it that tells enough of a line of numbers between blanks.
std::string first_row(TextSource& source, const TextFormat& format, const TextLayout& layout) {
  if (layout.any_width() && has_no_rows(format) && format.header != TextHeader::present) {
    while (source.start().size() <= most_looked_at && source.grow()) {
    }
    std::string_view start = source.start().substr(0, most_looked_at);
    if (start.size() == most_looked_at && start.find_first_of("\r\n") == std::string_view::npos)
      if (const std::size_t part = layout.dialect.part_of_line(start); part != 0) {
        std::string row(start.substr(0, part));
        row.back() = '\n';
        if (!guess_header(fields_of(row, source, layout), format).is_header) return row;
      }
  }
  const std::size_t size = find_first_row(source, layout);
  return std::string(source.start().substr(0, size));
}

/// Whether the columns that are selected by name have them from a comment rather than from the first row.
bool are_named_by(const std::vector<std::string>& names, const TextLayout& layout, const TextFormat& format) {
  if (names.empty() || !names_columns(format)) return false;
  TextFormat unnamed = format;
  unnamed.columns.clear();
  unnamed.key.clear();
  return has_selected_names(names, format) || !guess_header(layout.first_row, unnamed).is_header;
}

void find_header(TextLayout& layout, const TextSource& source, const TextFormat& format) {
  if (layout.first_row.empty() || format.header == TextHeader::absent) return;
  std::vector<std::string> names;
  HeaderGuess guess{.is_header = true};
  if (format.header == TextHeader::automatic) {
    names = names_in_comments(layout, format);
    if (are_named_by(names, layout, format))
      guess.is_header = false;
    else
      guess = guess_header(layout.first_row, format);
  }
  layout.has_header = guess.is_header;
  layout.names = layout.has_header ? layout.first_row : std::move(names);
  if (guess.is_mixed)
    fail_in_line(source, layout.lines + 1,
                 ": the first row has names and numbers (" + list_of(layout.first_row) + ")",
                 TextRemedy::first_line);
  // With the optional itself GCC 12 warns of a value that may be uninitialised.
  const std::size_t damaged = guess.damaged.value_or(layout.first_row.size());
  if (damaged == layout.first_row.size()) return;
  const std::string& field = layout.first_row[damaged];
  const std::optional<std::string> number = plain_number(field);
  fail_in_line(source, layout.lines + 1,
               ", " + layout.name_of(damaged) + ": " + quoted(field) +
                   " is not a number, and looks too much like one " + (number ? "(" + *number + ") " : "") +
                   "to be a name",
               TextRemedy::header);
}

/// Drops the header and everything up to the next row, which must exist unless the text may be empty.
void drop_header(TextSource& source, TextLayout& layout, const TextFormat& format, std::size_t size) {
  const std::int64_t line = layout.lines + 1;
  drop_lines(source, layout, size);
  if (!drop_comments(source, layout, layout.dialect) && format.header == TextHeader::automatic &&
      !names_columns(format))
    fail_in_line(source, line,
                 ": is taken for a header (" + list_of(layout.first_row) + "), and no data follow",
                 TextRemedy::header);
}

std::size_t find_named(const TextSource& source, const TextLayout& layout, const std::string& name) {
  if (layout.names.empty())
    fail(source, "has no header line, so no column is named " + quoted(name) + "; give its number");
  const auto found = std::ranges::find(layout.names, name);
  if (found == layout.names.end())
    throw UnknownColumn(
        source.name() + ": has no column " + quoted(name) + "; it has " + list_of(layout.names), name,
        layout.names);
  if (std::find(found + 1, layout.names.end(), name) != layout.names.end())
    fail(source, "has more than one column " + quoted(name) + "; give its number");
  return static_cast<std::size_t>(found - layout.names.begin());
}

std::size_t find_column(const TextSource& source, const TextLayout& layout, const TextColumn& column) {
  if (const auto* const name = std::get_if<std::string>(&column)) return find_named(source, layout, *name);
  const auto number = static_cast<std::size_t>(std::get<std::int64_t>(column));
  const std::size_t width = layout.first_row.size();
  if (width == 0 || number <= width) return number - 1;
  const std::string name = std::to_string(number);  // a year, for example
  const bool is_in_first_row = std::ranges::find(layout.first_row, name) != layout.first_row.end();
  if (is_in_first_row && layout.has_header) return find_named(source, layout, name);
  if (is_in_first_row)
    fail(source, "has no column " + name + ", but its first line has a field " + quoted(name),
         TextRemedy::header);
  const bool is_comment = !layout.dialect.comment() && layout.first_row.front().starts_with('#');
  fail(source, "has no column " + name + ": its first line has " + counted(width, "column"),
       is_comment ? TextRemedy::comment : TextRemedy::separator);
}

void find_columns(TextLayout& layout, const TextSource& source, const TextFormat& format) {
  const std::size_t width = layout.first_row.size();
  for (const TextColumn& column : format.columns)
    layout.columns.push_back(find_column(source, layout, column));
  if (format.every_column || (format.numeric_columns && width > 1 && !layout.any_width()))
    for (std::size_t field = 0; field < width; ++field) layout.columns.push_back(field);
  for (const TextColumn& column : format.key) layout.key.push_back(find_column(source, layout, column));
  if (layout.columns.empty() && !format.all_columns && !layout.any_width() && width > 1)
    fail(
        source,
        "has " + counted(width, "column") + (layout.has_header ? " (" + list_of(layout.first_row) + ")" : ""),
        TextRemedy::columns);
}

}  // namespace

bool has_no_rows(const TextFormat& format) {
  return format.columns.empty() && !format.every_column && format.key.empty() &&
         format.missing != MissingValues::skip_row;
}

bool can_separate(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_digit = c >= '0' && c <= '9';
  return !is_letter && !is_digit && std::string_view("+-.\"\r\n\0", 7).find(c) == std::string::npos;
}

TextRemedy remedy_of(FieldEnd end) {
  return end == FieldEnd::other_separator ? TextRemedy::separator : TextRemedy::none;
}

std::string TextLayout::label_of(std::size_t vector) const {
  if (columns.empty()) return has_header && names.size() == 1 ? names.front() : "";
  return label_of_field(columns.at(vector));
}

std::string TextLayout::label_of_field(std::size_t field) const {
  return field < names.size() ? names[field] : std::to_string(field + 1);
}

std::string TextLayout::name_of(std::size_t field) const {
  const std::string number = "column " + std::to_string(field + 1);
  return field < names.size() ? number + " (" + quoted(names[field]) + ")" : number;
}

void validate(const TextFormat& format) {
  const bool has_comment = format.comment && *format.comment != TextFormat::no_comment;
  for (const std::optional<char> c : {format.separator, has_comment ? format.comment : std::nullopt})
    if (c && !can_separate(*c))
      throw InvalidArgument(quoted({&*c, 1}) +
                            " cannot separate fields or begin comments; choose a character "
                            "that no number, quote or line end has");
  if (format.comment &&
      (*format.comment == ' ' || *format.comment == '\t' || format.comment == format.separator))
    throw InvalidArgument(quoted({&*format.comment, 1}) +
                          " cannot begin comments, because it separates fields; "
                          "choose another character");
  validate_spelling(format);
  std::ranges::for_each(format.columns, validate_column);
  std::ranges::for_each(format.key, validate_column);
  const bool every_column = format.every_column || format.numeric_columns;
  if (!format.columns.empty() + every_column + format.all_columns > 1)
    throw InvalidArgument(
        "some columns, every column by itself, or all of them together are wanted; choose one");
  if (format.all_columns && !format.key.empty())
    throw InvalidArgument(
        "there is no column for the key if all columns hold numbers; leave out one of them");
  if (format.numeric_columns && !format.key.empty())
    throw InvalidArgument("columns of groups are chosen, not found; name them");
  if (format.skip_lines < 0)
    throw InvalidArgument(std::to_string(format.skip_lines) + " lines cannot be skipped; choose 0 or more");
  if (format.longest_row < 1 || format.longest_row > std::int64_t{1} << 40)
    throw InvalidArgument("rows of " + std::to_string(format.longest_row) +
                          " bytes at most are not possible; choose 1 to 2^40");
  if (format.block_size < 1 || format.block_size > std::int64_t{1} << 30)
    throw InvalidArgument("a block of " + std::to_string(format.block_size) +
                          " bytes is not possible; choose 1 to 2^30");
  if (format.most_keys < 1 || format.most_keys > INT32_MAX)
    throw InvalidArgument(std::to_string(format.most_keys) + " keys are not possible; choose 1 to 2^31 - 1");
}

TextLayout find_layout(TextSource& source, const TextFormat& given) {
  const TextPreamble preamble = drop_preamble(source, given);
  TextFormat format = given;
  if (preamble.separator) format.separator = preamble.separator;
  TextLayout layout{.dialect = dialect_of(' ', format), .lines = preamble.lines};
  find_dialect(source, layout, format);
  const std::string row = first_row(source, format, layout);
  layout.first_row = fields_of(row, source, layout);
  find_header(layout, source, format);
  find_columns(layout, source, format);
  if (layout.has_header) drop_header(source, layout, format, row.size());
  return layout;
}

}  // namespace foldline::io
