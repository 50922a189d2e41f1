#include "io/text_layout.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "foldline/error.hpp"
#include "io/text_message.hpp"
#include "io/text_missing.hpp"
#include "io/text_preamble.hpp"
#include "io/text_spelling.hpp"

namespace foldline::io {
namespace {

/// Bytes of the first line that tell what separates its fields, and of a line of numbers all that is looked
/// at.
constexpr std::size_t most_looked_at = std::size_t{1} << 20;

void validate_column(const TextColumn& column) {
  const auto* const number = std::get_if<std::int64_t>(&column);
  if (number != nullptr && *number < 1)
    throw InvalidArgument("column " + std::to_string(*number) + " does not exist; columns count from 1");
}

[[noreturn]] void fail(const TextSource& source, const std::string& what) {
  throw DataError(source.name() + ": " + what);
}

/// Bytes of whole lines at the start of any text.
std::string_view lines_of(std::string_view text) { return text.substr(0, text.rfind('\n') + 1); }

[[noreturn]] void fail_in_line(const TextSource& source, std::int64_t line, const std::string& what) {
  fail(source, "line " + std::to_string(line) + what);
}

/// Whether a text that is less than a line is more than blanks and the beginning of a comment.
bool begins_row(std::string_view text, std::optional<char> comment) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first != std::string_view::npos && text[first] != comment;
}

/// Drops blank lines and comments, and returns how many. `before` lines have been dropped already.
std::int64_t drop_comments(TextSource& source, const TextDialect& dialect, std::int64_t before) {
  std::int64_t lines = 0;
  do {
    const std::string_view text = lines_of(source.start());
    const char* at = text.data();
    const char* const end = at + text.size();
    const char* line = at;
    while (at != end && !dialect.enter_row(at, end)) {
      ++lines;
      if (static_cast<std::size_t>(at - line) > source.longest_row())
        fail_in_line(source, before + lines, ": " + too_long_message(source.longest_row()));
      line = at;
    }
    const bool found = line != end;
    source.drop(static_cast<std::size_t>(line - text.data()));
    if (found || begins_row(source.start(), dialect.comment())) break;
  } while (source.start().size() <= source.longest_row() && source.grow());
  return lines;
}

/// Calls f(c) for the characters of the first line that are outside of quotes, to its end or until f returns
/// false. As the separator is not known yet, a quote opens after anything that may be one, and after a quote.
template <class Function>
const char* scan_first_line(std::string_view text, const Function& f) {
  bool quotes = false;
  char before = ' ';
  for (const char& c : text) {
    if (c == '"')
      quotes = !quotes && std::string_view("\t ;,\"").find(before) != std::string_view::npos;
    else if (!quotes && (c == '\n' || !f(c)))
      return &c;
    before = c;
  }
  return text.data() + text.size();
}

/// The first of tab, semicolon and comma that a line has outside of quotes, else blank. Semicolon before
/// comma: a line with both is one of decimal commas, and the message about them should show a whole number.
/// `is_cut`: a comment ends the line early; one may follow numbers that blanks separate, and have a comma.
char find_separator(std::string_view line, const TextFormat& format, bool& is_cut) {
  std::array<bool, 256> has = {};
  is_cut = false;
  scan_first_line(line, [&](char c) {
    is_cut = c == format.comment;
    has[static_cast<unsigned char>(c)] = !is_cut;
    return !is_cut;
  });
  for (const char c : {'\t', ';', ','})
    if (has[static_cast<unsigned char>(c)] && !is_in_numbers(c, format)) return c;
  return is_in_numbers(' ', format) ? '\t' : ' ';
}

/// Where the line that begins at `first` ends; as much of it is read as necessary.
std::size_t end_of_line(TextSource& source, std::size_t first) {
  for (;;) {
    const std::string_view text = source.start().substr(first);
    const char* const end = scan_first_line(text, [](char) { return true; });
    const bool is_whole = end != text.data() + text.size();
    if (is_whole || source.start().size() > most_looked_at || !source.grow())
      return first + static_cast<std::size_t>(end - text.data());
  }
}

/// What looks like a comment may be part of a name, as in "Item #,Amount"; the second line tells.
char choose_separator(TextSource& source, const TextFormat& format) {
  if (format.separator) return *format.separator;
  const std::size_t end = end_of_line(source, 0);
  bool is_cut = false;
  const char separator = find_separator(source.start().substr(0, end), format, is_cut);
  if (separator != ' ' || !is_cut || end == source.start().size()) return separator;
  const std::size_t next_end = end_of_line(source, end + 1);
  return find_separator(source.start().substr(end + 1, next_end - end - 1), format, is_cut);
}

/// Bytes of the first row, of which as much as necessary is read; 0 if there is none.
std::size_t find_first_row(TextSource& source, const TextDialect& dialect, std::int64_t line) {
  for (;;) {
    const std::string_view text = lines_of(source.start());
    const char* const first = text.data();
    const char* const row_end = text.empty() ? nullptr : dialect.line_end(first, first + text.size());
    if (row_end != nullptr && static_cast<std::size_t>(row_end - first) <= source.longest_row())
      return static_cast<std::size_t>(row_end - first);
    if (source.start().size() > source.longest_row())
      fail_in_line(source, line, ": " + too_long_message(source.longest_row()));
    if (!source.grow()) return source.start().size();
  }
}

std::vector<std::string> fields_of(std::string_view row, const TextSource& source, const TextLayout& layout) {
  const TextDialect& dialect = layout.dialect;
  std::vector<std::string> fields;
  const char* at = row.data();
  const char* const end = at + row.size();
  if (row.empty() || !dialect.enter_row(at, end)) return fields;
  TextField field;
  do {
    const FieldEnd field_end = dialect.read_field(at, end, field);
    if (field_end != FieldEnd::proper)
      fail_in_line(
          source, layout.lines + 1,
          ", column " + std::to_string(fields.size() + 1) + ": " + std::string(message_of(field_end)));
    fields.push_back(field.value());
  } while (dialect.next_field(at, end));
  return fields;
}

/// Whether a field can only be a name. What begins like a number and is none is a damaged number rather than
/// a name: taking it for a header would hide it.
bool is_name(std::string_view field, const TextFormat& format) {
  const NumberReader numbers(format.type, format);
  if (field.empty() || MissingMarkers(format, numbers).have(field, numbers) ||
      std::string_view("0123456789+-.").find(field.front()) != std::string::npos)
    return false;
  const auto is_number_of = [&](ElementType number_type) {
    std::array<std::byte, 8> ignored;
    return NumberReader(number_type, format).read(field, ignored.data()) == NumberStatus::number;
  };
  return !is_number_of(ElementType::float64) &&
         !is_number_of(format.type);  // "nan" is no name, nor "true" of bool
}

bool is_name_of(const TextFormat& format) {
  const auto named = [](const TextColumn& column) { return std::holds_alternative<std::string>(column); };
  return std::ranges::any_of(format.columns, named) || std::ranges::any_of(format.key, named);
}

bool looks_like_header(const std::vector<std::string>& row, const TextFormat& format) {
  if (is_name_of(format)) return true;
  const auto is_name_here = [&](const std::string& field) { return is_name(field, format); };
  if (format.columns.empty()) return std::ranges::any_of(row, is_name_here);
  return std::ranges::any_of(format.columns, [&](const TextColumn& column) {
    const auto number = static_cast<std::size_t>(std::get<std::int64_t>(column));
    return number <= row.size() && is_name_here(row[number - 1]);
  });
}

/// The first row, or the part of it that tells enough of a line of numbers between blanks.
std::string first_row(TextSource& source, const TextFormat& format, const TextLayout& layout) {
  if (layout.any_width() && has_no_rows(format) && format.header != TextHeader::present) {
    while (source.start().size() <= most_looked_at && source.grow()) {
    }
    std::string_view start = source.start().substr(0, most_looked_at);
    if (start.size() == most_looked_at && start.find('\n') == std::string_view::npos)
      if (const std::size_t part = layout.dialect.part_of_line(start); part != 0) {
        std::string row(start.substr(0, part));
        row.back() = '\n';
        if (!looks_like_header(fields_of(row, source, layout), format)) return row;
      }
  }
  const std::size_t size = find_first_row(source, layout.dialect, layout.lines + 1);
  return std::string(source.start().substr(0, size));
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    result += (i == 0 ? "" : ", ") + quoted(names[i]);
  return result + (names.size() > most ? ", and " + std::to_string(names.size() - most) + " more" : "");
}

std::size_t find_named(const TextSource& source, const TextLayout& layout, const std::string& name) {
  if (!layout.has_header)
    fail(source, "has no header line, so no column is named " + quoted(name) + "; give its number");
  const auto found = std::ranges::find(layout.first_row, name);
  if (found == layout.first_row.end())
    throw UnknownColumn(
        source.name() + ": has no column " + quoted(name) + "; it has " + list_of(layout.first_row), name,
        layout.first_row);
  if (std::find(found + 1, layout.first_row.end(), name) != layout.first_row.end())
    fail(source, "has more than one column " + quoted(name) + "; give its number");
  return static_cast<std::size_t>(found - layout.first_row.begin());
}

std::size_t find_column(const TextSource& source, const TextLayout& layout, const TextColumn& column) {
  if (const auto* const name = std::get_if<std::string>(&column)) return find_named(source, layout, *name);
  const auto number = static_cast<std::size_t>(std::get<std::int64_t>(column));
  const std::size_t width = layout.first_row.size();
  if (width != 0 && number > width)
    fail(source, "has no column " + std::to_string(number) + ": its first line has " +
                     counted(width, "column") + "; check the column and the separator");
  return number - 1;
}

void find_columns(TextLayout& layout, const TextSource& source, const TextFormat& format) {
  const std::size_t width = layout.first_row.size();
  for (const TextColumn& column : format.columns)
    layout.columns.push_back(find_column(source, layout, column));
  if (format.every_column)
    for (std::size_t field = 0; field < width; ++field) layout.columns.push_back(field);
  for (const TextColumn& column : format.key) layout.key.push_back(find_column(source, layout, column));
  if (layout.columns.empty() && !format.all_columns && !layout.any_width() && width > 1)
    fail(source, "has " + counted(width, "column") +
                     (layout.has_header ? " (" + list_of(layout.first_row) + ")" : "") +
                     "; say which of them is wanted");
}

}  // namespace

bool has_no_rows(const TextFormat& format) {
  return format.columns.empty() && !format.every_column && format.key.empty() &&
         format.missing != MissingValues::skip_row;
}

bool can_separate(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return !is_letter && !(c >= '0' && c <= '9') &&
         std::string_view("+-.\"\r\n\0", 7).find(c) == std::string::npos;
}

std::string TextLayout::label_of(std::size_t vector) const {
  if (columns.empty()) return has_header ? first_row.front() : "";
  return label_of_field(columns.at(vector));
}

std::string TextLayout::label_of_field(std::size_t field) const {
  return has_header && field < first_row.size() ? first_row[field] : std::to_string(field + 1);
}

std::string TextLayout::name_of(std::size_t field) const {
  const std::string number = "column " + std::to_string(field + 1);
  return has_header && field < first_row.size() ? number + " (" + quoted(first_row[field]) + ")" : number;
}

void validate(const TextFormat& format) {
  for (const std::optional<char> c : {format.separator, format.comment})
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
  if (!format.columns.empty() + format.every_column + format.all_columns > 1)
    throw InvalidArgument(
        "some columns, every column by itself, or all of them together are wanted; choose one");
  if (format.all_columns && !format.key.empty())
    throw InvalidArgument(
        "there is no column for the key if all columns hold numbers; leave out one of them");
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
  // Until the separator is known, lines of blanks and tabs only are blank.
  const TextDialect unknown(format.separator.value_or(' '), format.comment);
  const std::int64_t lines = preamble.lines + drop_comments(source, unknown, preamble.lines);
  TextLayout layout{.dialect = TextDialect(choose_separator(source, format), format.comment), .lines = lines};
  const std::string row = first_row(source, format, layout);
  layout.first_row = fields_of(row, source, layout);
  if (!layout.first_row.empty() && format.header != TextHeader::absent)
    layout.has_header = format.header == TextHeader::present || looks_like_header(layout.first_row, format);
  find_columns(layout, source, format);
  if (layout.has_header) {
    layout.lines += std::ranges::count(row, '\n');
    source.drop(row.size());
  }
  return layout;
}

}  // namespace foldline::io
