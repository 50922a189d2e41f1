// Cuts a text into blocks of whole rows.
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
  bool too_long = false;    ///< these bytes are less than one row
  bool continues = false;   ///< the first line is the rest of one that began in the rows before
  bool unfinished = false;  ///< the last line goes on in the next rows; its '\n' is none of the text

  /// Ends with the end of a line, unless too long.
  std::string_view text() const { return {buffer.data(), size}; }
};

/// First looks at the start of a text, then gives out the rest in blocks. Memory: a block, and one row.
class TextSource {
 public:
  /// Passes over a byte order mark. Throws DataError, also if the file is of a kind that is no text.
  TextSource(ByteSource bytes, const TextFormat& format);

  const std::string& name() const { return bytes_.name(); }
  /// Bytes of a regular file.
  std::optional<std::int64_t> size() const { return size_; }
  std::size_t longest_row() const { return longest_row_; }

  /// The bytes that have been read and not been dropped or taken. At the end of the text a '\n' is added if
  /// it has none.
  std::string_view start() const { return start_.text(); }
  /// Reads more of the start, as much again or a block. Returns false if there is no more.
  bool grow();
  void drop(std::size_t count);

  /// Takes the next rows; false at the end. Gives one row too long instead of looking for its end, and then
  /// nothing more. With `cuts_lines` a line longer than a block is given in parts, wherever it can be.
  bool take(const TextDialect& dialect, bool cuts_lines, TextRows& rows);

 private:
  bool read_into(TextRows& rows);
  std::size_t read_bytes(std::span<char> buffer);
  bool give(TextRows& rows, std::size_t size);

  ByteSource bytes_;
  std::optional<std::int64_t> size_;
  std::size_t block_size_;
  std::size_t longest_row_;
  std::vector<char> ahead_;  ///< the file's first bytes, which come before those of bytes_
  std::size_t ahead_used_ = 0;
  TextRows start_;  ///< what comes before the bytes not yet read
  bool ended_ = false;
  bool is_cut_ = false;  ///< start_ begins within a line of which a part has been taken
};

}  // namespace foldline::io
