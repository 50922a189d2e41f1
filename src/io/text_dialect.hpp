// How a text divides into rows and fields: separator, quotes, comments, line ends. RFC 4180, and blanks
// around fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_marks.hpp"

namespace foldline::io {

/// A field as written, without surrounding blanks and quotes.
struct TextField {
  std::string_view text;
  bool quoted = false;  ///< doubled quotes stand for one

  /// What the field means.
  std::string value() const;
};

enum class FieldEnd : std::uint8_t {
  proper,           ///< a separator, blanks or the line's end
  other_separator,  ///< after a closing quote, a character that separates the fields of other texts
  text_at_quote,    ///< something else after a closing quote
  never             ///< the text ends before the closing quote
};

/// Describes an improper end, and its remedy.
std::string_view message_of(FieldEnd end);

/// Which lines are comments, besides those that the format specifies.
enum class Comments : std::uint8_t {
  all,   ///< lines that begin with the character, and between blanks what follows it after a blank
  clear  ///< lines in which another one, a blank, '!' or nothing follows it: no CSV has such a row
};

inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }
/// Past the line's end at `at`: "\n", "\r\n" or "\r".
inline const char* past_line_end(const char* at) { return at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1); }
/// How many lines end in a text.
std::int64_t count_lines(std::string_view text);
/// The complete lines at the start of a text, whatever follows.
std::string_view whole_lines_of(std::string_view text);

/// Every text passed to it ends with a line end, so that searches for the end of a field or line need no
/// bound; after a final '\r' another byte must follow.
class TextDialect {
 public:
  /// The separator ' ' stands for any number of blanks and tabs. `markers`: fields that are never comments,
  /// whatever they begin with.
  TextDialect(char separator, std::optional<char> comment, Comments comments = Comments::all,
              std::vector<std::string> markers = {});

  char separator() const { return separator_; }
  std::optional<char> comment() const { return comment_; }

  /// At the start of a line: moves on to its first field and returns true, or past the line if it is blank or
  /// a comment.
  bool enter_row(const char*& at) const;
  /// Whether a line that begins with the comment character may be a comment: not with "#N/A".
  bool may_be_comment(const char* at) const;
  /// Reads the field at `at`, a position from enter_row or next_field, and moves to its end.
  FieldEnd read_field(const char*& at, const char* end, TextField& field) const {
    return read_field(at, end, field, [this](const char* from) {
      while (!ends_field_[static_cast<unsigned char>(*from)]) ++from;
      return from;
    });
  }
  /// The same in a text whose field_ends() are marked.
  FieldEnd read_field(const char*& at, const char* end, TextField& field, TextMarks marks) const {
    return read_field(at, end, field, [marks](const char* from) { return marks.next(from); });
  }
  /// Moves on by at most `most` fields: up to one in quotes or after a blank, or to the last one of the row.
  /// Returns the number; 0 if blanks separate.
  std::size_t skip_fields(const char*& at, std::size_t most, TextMarks marks) const;
  /// The bytes that end a field without quotes.
  std::array<char, 4> field_ends() const {
    return {separator_, splits_at_blanks() ? '\t' : separator_, '\n', '\r'};
  }
  /// After a field with a proper end: moves on to the next one and returns true, or past the row.
  bool next_field(const char*& at) const;

  /// The end of the row or line at `at`; nullptr if the text ends within it. A row with text at a
  /// closing quote is taken to end with the line.
  const char* line_end(const char* at, const char* end) const;
  /// Bytes of the complete rows and lines at the start of any text; a last one without '\n' is complete, too.
  std::size_t whole_lines(std::string_view text) const;
  /// Bytes at the start of a line of blank-separated fields that can be parsed before the rest is read: up to
  /// a blank after a field, and before any quote or comment. 0 if there are none.
  std::size_t part_of_line(std::string_view text) const;

 private:
  bool splits_at_blanks() const { return separator_ == ' '; }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != '\t'); }
  bool is_comment(const char* at) const { return comment_ && *at == *comment_ && may_be_comment(at); }
  void skip_blanks(const char*& at) const;
  template <class FindEnd>
  FieldEnd read_field(const char*& at, const char* end, TextField& field, const FindEnd& find_end) const;
  FieldEnd read_quoted(const char*& at, const char* end, TextField& field) const;

  char separator_;
  std::optional<char> comment_;
  Comments comments_;
  std::vector<std::string> markers_;
  std::array<bool, 256> ends_field_ = {};
};

/// Past the line at `at`.
inline const char* next_line(const char* at) {
  while (!is_line_end(*at)) ++at;
  return past_line_end(at);
}

inline void TextDialect::skip_blanks(const char*& at) const {
  while (is_blank(*at)) ++at;
}

inline bool TextDialect::enter_row(const char*& at) const {
  skip_blanks(at);
  if (!is_line_end(*at) && !is_comment(at)) return true;
  at = next_line(at);
  return false;
}

template <class FindEnd>
FieldEnd TextDialect::read_field(const char*& at, const char* end, TextField& field,
                                 const FindEnd& find_end) const {
  if (!splits_at_blanks()) skip_blanks(at);
  if (*at == '"') return read_quoted(at, end, field);
  const char* const first = at;
  at = find_end(at);
  const char* last = at;
  while (last != first && is_blank(last[-1])) --last;
  field = {{first, static_cast<std::size_t>(last - first)}, false};
  return FieldEnd::proper;
}

inline std::size_t TextDialect::skip_fields(const char*& at, std::size_t most, TextMarks marks) const {
  if (splits_at_blanks()) return 0;
  const char separator = separator_;
  for (std::size_t count = 0; count < most; ++count) {
    if (*at == '"' || *at == ' ' || *at == '\t') return count;
    const char* const end = marks.next(at);
    if (*end != separator) return count;
    at = end + 1;
  }
  return most;
}

inline bool TextDialect::next_field(const char*& at) const {
  if (splits_at_blanks()) return enter_row(at);
  if (*at != separator_) {
    at = past_line_end(at);
    return false;
  }
  ++at;
  return true;
}

}  // namespace foldline::io
