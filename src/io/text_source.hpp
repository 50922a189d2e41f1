// Divides a text into blocks of whole rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/text_reader.hpp"
#include "io/byte_source.hpp"
#include "io/text_dialect.hpp"

namespace foldline::io {

/// Whole rows of a text.
struct TextRows {
  std::vector<char> buffer;
  std::size_t size = 0;
  bool too_long = false;    ///< the bytes are part of one too long row
  bool continues = false;   ///< the first line continues one of the rows before
  bool unfinished = false;  ///< the last line continues in the next rows; its '\n' is not in the text

  /// Ends with the end of a line, unless too long.
  std::string_view text() const { return {buffer.data(), size}; }
};

/// Gives access to the start of a text, then hands out the rest in blocks. Memory: a block and one row.
class TextSource {
 public:
  /// Skips a byte order mark. Throws DataError, also for files that are no text.
  TextSource(ByteSource bytes, const TextFormat& format);

  const std::string& name() const { return bytes_.name(); }
  /// Bytes of a regular file.
  std::optional<std::int64_t> size() const { return size_; }
  std::size_t longest_row() const { return longest_row_; }

  /// The bytes read and not yet dropped or taken. At the end of the text a missing '\n' is added.
  std::string_view start() const { return start_.text(); }
  /// Doubles the bytes read, at least by a block. Returns false at the end.
  bool grow();
  void drop(std::size_t count);

  /// Takes the next rows; false at the end. A too long row is returned in part, and nothing after it. With
  /// `cuts_lines` a line longer than a block is returned in parts where possible.
  bool take(const TextDialect& dialect, bool cuts_lines, TextRows& rows);

  /// Bytes before the next row or line.
  std::int64_t offset() const { return offset_; }
  /// Moves on to `begin`, or, unless a row is known to begin there, behind the first '\n' from the byte
  /// before it on; then gives only rows that begin before `end`. Of a regular file that is read as stored.
  void read_part(std::int64_t begin, std::int64_t end, bool is_row);

 private:
  bool read_into(TextRows& rows);
  void skip_to(std::int64_t offset);
  std::size_t size_of_part(const TextDialect& dialect, std::string_view rows) const;
  std::size_t read_bytes(std::span<char> buffer);
  bool give(TextRows& rows, std::size_t size);

  ByteSource bytes_;
  std::optional<std::int64_t> size_;
  std::size_t block_size_;
  std::size_t longest_row_;
  std::vector<char> ahead_;  ///< the file's first bytes, which precede those of bytes_
  std::size_t ahead_used_ = 0;
  TextRows start_;                ///< precedes the unread bytes
  std::int64_t offset_ = 0;       ///< of start_
  std::int64_t end_ = INT64_MAX;  ///< of the part to read
  bool ended_ = false;
  bool is_cut_ = false;  ///< start_ begins in the middle of a line
};

}  // namespace foldline::io
