// Cuts a text into blocks of whole rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "io/text_dialect.hpp"

namespace foldline::io {

/// Whole rows of a text.
struct TextRows {
  std::vector<char> buffer;
  std::size_t size = 0;
  bool too_long = false;  ///< these bytes are less than one row

  /// Ends with '\n', unless too long.
  std::string_view text() const { return {buffer.data(), size}; }
};

/// First looks at the start of a text, then gives out the rest in blocks. Memory: a block, and one row.
class TextSource {
 public:
  /// Passes over a byte order mark. Throws DataError, also if the file is of a kind known not to be text.
  TextSource(ByteSource bytes, std::int64_t block_size);

  const std::string& name() const { return bytes_.name(); }
  /// Bytes of a regular file.
  std::optional<std::int64_t> size() const { return size_; }

  /// The bytes that have been read and not been dropped or taken. At the end of the text a '\n' is added if
  /// it has none.
  std::string_view start() const { return start_.text(); }
  /// Reads more of the start, as much again or a block. Returns false if there is no more.
  bool grow();
  void drop(std::size_t count);

  /// Takes the next rows; false at the end. Gives one row too long instead of looking for its end, and then
  /// nothing more.
  bool take(const TextDialect& dialect, TextRows& rows);

 private:
  bool read_into(TextRows& rows);

  ByteSource bytes_;
  std::optional<std::int64_t> size_;
  std::size_t block_size_;
  TextRows start_;  ///< what comes before the bytes not yet read
  bool ended_ = false;
};

}  // namespace foldline::io
