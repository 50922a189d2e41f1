#include "io/text_dialect.hpp"

#include <algorithm>
#include <utility>

#include "io/text_number.hpp"

namespace foldline::io {

std::string TextField::value() const {
  std::string result(text);
  if (!quoted) return result;
  for (std::size_t at = 0; (at = result.find("\"\"", at)) != std::string::npos; ++at) result.erase(at, 1);
  return result;
}

std::string_view message_of(FieldEnd end) {
  switch (end) {
    case FieldEnd::never:
      return "the quote that opens here is never closed; close it";
    case FieldEnd::other_separator:
      return "after a closing quote there is what may separate fields, but does not";
    default:
      return "there is text after a closing quote; within quotes, write \"\" for a quote";
  }
}

std::int64_t count_lines(std::string_view text) {
  std::int64_t lines = count_byte(text, '\n');
  for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
    lines += at + 1 == text.size() || text[at + 1] != '\n' ? 1 : 0;
  return lines;
}

std::string_view whole_lines_of(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);  // '\n' may follow
  return text.substr(0, text.find_last_of("\r\n") + 1);
}

TextDialect::TextDialect(char separator, std::optional<char> comment, Comments comments,
                         std::vector<std::string> markers)
    : separator_(separator), comment_(comment), comments_(comments), markers_(std::move(markers)) {
  for (const char c : {'\n', '\r', separator}) ends_field_[static_cast<unsigned char>(c)] = true;
  if (splits_at_blanks()) ends_field_['\t'] = true;
}

bool TextDialect::may_be_comment(const char* at) const {
  if (comments_ == Comments::clear)
    return is_line_end(at[1]) || at[1] == ' ' || at[1] == '!' || at[1] == *comment_;
  const char* end = at;  // of a field, whatever separates them
  while (!ends_field_[static_cast<unsigned char>(*end)] && *end != '\t' && *end != ';' && *end != ',') ++end;
  while (is_blank(end[-1])) --end;
  const std::string_view field(at, static_cast<std::size_t>(end - at));
  return !is_spreadsheet_error(field) && std::ranges::find(markers_, field) == markers_.end();
}

FieldEnd TextDialect::read_quoted(const char*& at, const char* end, TextField& field) const {
  const char* const first = ++at;
  for (;;) {
    at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (at == nullptr) {
      at = end;
      field = {{first, static_cast<std::size_t>(end - first)}, true};
      return FieldEnd::never;
    }
    ++at;
    if (*at != '"') break;
    ++at;
  }
  field = {{first, static_cast<std::size_t>(at - 1 - first)}, true};
  const char* const closed = at;
  skip_blanks(at);
  const bool proper = is_line_end(*at) || *at == separator_ || (splits_at_blanks() && at != closed);
  if (proper) return FieldEnd::proper;
  return std::string_view("\t;,|").find(*at) != std::string_view::npos ? FieldEnd::other_separator
                                                                       : FieldEnd::text_at_quote;
}

const char* TextDialect::line_end(const char* at, const char* end) const {
  if (!enter_row(at)) return at;
  TextField field;
  do {
    const FieldEnd field_end = read_field(at, end, field);
    if (field_end == FieldEnd::never) return nullptr;
    if (field_end != FieldEnd::proper) return next_line(at);
  } while (next_field(at));
  return at;
}

std::size_t TextDialect::whole_lines(std::string_view text) const {
  text = whole_lines_of(text);
  if (text.find('"') == std::string_view::npos) return text.size();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const next = line_end(at, end);
    if (next == nullptr) break;
    at = next;
  }
  return static_cast<std::size_t>(at - text.data());
}

std::size_t TextDialect::part_of_line(std::string_view text) const {
  text = text.substr(0, text.find('"'));
  if (comment_) text = text.substr(0, text.find(*comment_));
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_of(" \t");
  return first != std::string_view::npos && last != std::string_view::npos && first < last ? last + 1 : 0;
}

}  // namespace foldline::io
