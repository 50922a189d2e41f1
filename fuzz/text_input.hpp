// Any bytes as a text, read in blocks of two sizes, which must agree.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foldline/text_reader.hpp"
#include "require.hpp"

namespace foldline::fuzz {

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "the fuzzer can make files");
    require(::write(descriptor_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
            "memory takes all bytes");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

struct TextContent {
  std::vector<std::string> vectors;
  std::vector<std::vector<std::uint32_t>> keys;
  std::vector<std::string> key_texts;
  std::int64_t rows = 0, missing = 0;
  bool has_header = false;
  char separator = '\0';
  std::vector<std::string> left_out;
  std::string error;

  bool operator==(const TextContent&) const = default;
};

inline void read_blocks(TextReader& reader, const TextFormat& format, TextContent& content) {
  content.vectors.resize(reader.columns());
  content.keys.resize(reader.columns());
  TextBlock block;
  while (reader.read(block)) {
    content.rows += block.rows();
    content.missing += block.missing();
    for (std::size_t column = 0; column < reader.columns(); ++column) {
      const VectorView values = block.values(column);
      const auto keys = block.keys(column);
      require(keys.size() == (format.key.empty() ? 0 : static_cast<std::size_t>(values.size())),
              "a key for each value");
      require(format.missing != MissingValues::skip_row || format.numeric_columns ||
                  values.size() == block.values(0).size(),
              "vectors of the same length");
      content.vectors[column].append(static_cast<const char*>(values.data()),
                                     static_cast<std::size_t>(values.size() * size_of(values.type())));
      content.keys[column].insert(content.keys[column].end(), keys.begin(), keys.end());
    }
  }
  require(reader.position() <= reader.size().value() + 1, "no more than the file has, and a line's end");
  for (const LeftOutColumn& column : reader.left_out()) {
    require(column.column < reader.columns() && column.line > 0, "a place in the text");
    for (const char c : column.problem) require(c >= 0x20 && c < 0x7f, "a printable message");
    content.left_out.push_back(std::to_string(column.column) + " " + std::to_string(column.line) + " " +
                               column.problem);
  }
  content.key_texts = reader.keys();
  for (const auto& keys : content.keys)
    for (const std::uint32_t key : keys) require(key < content.key_texts.size(), "each key has its text");
}

inline TextContent read_text(const std::string& path, const TextFormat& format) {
  TextContent content;
  try {
    TextReader reader = TextReader::open(path, format);
    content.has_header = reader.has_header();
    content.separator = reader.separator();
    read_blocks(reader, format, content);
  } catch (const DataError& error) {
    content = {};
    content.error = error.what();
    for (const char c : content.error) require(c >= 0x20 && c < 0x7f, "a printable message");
    require(content.error.size() < 1000, "a short message");
  }
  return content;
}

/// Options of every text, as two bytes choose them.
inline void choose_options(TextFormat& format, std::uint8_t numbers, std::uint8_t lines) {
  const std::string thousands[] = {"", ".", ",", " ", "'", "\xc2\xa0", "\xe2\x80\xaf", ""};
  format.thousands = thousands[numbers & 7];
  if ((numbers & 8) != 0 && format.separator != ',' && format.comment != ',') format.decimal_mark = ',';
  if (format.thousands == std::string(1, format.decimal_mark) ||
      (format.thousands == " " && format.separator == ' '))
    format.thousands.clear();
  format.fortran = (numbers & 16) != 0;
  if ((numbers & 32) != 0) format.missing_markers = {"-999", ".", "0.1", "nan"};
  format.only_missing_markers = (numbers & 64) != 0;
  format.numeric_columns =
      (numbers & 128) != 0 && format.columns.empty() && format.key.empty() && !format.all_columns;
  format.skip_lines = lines & 3;
  const bool has_limit = !format.columns.empty() || format.every_column;  // other lines may be read in parts
  if (has_limit && (lines & 4) != 0) format.longest_row = 1000 + (lines >> 3);
}

/// Whether lines cannot be anything but rows, a header and blank ones.
inline bool has_plain_lines(std::string_view text, const TextFormat& format, char separator) {
  const bool has_sep = text.find('=') != std::string_view::npos;  // "sep=;" is no row
  const bool has_comments =
      format.comment != TextFormat::no_comment && text.find('#') != std::string_view::npos;
  return format.skip_lines == 0 && separator != '\t' && !has_sep && !has_comments &&
         text.find('"') == std::string_view::npos;
}

/// Lines that are not blank.
inline std::int64_t count_rows(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::int64_t rows = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    rows += line.find_first_not_of(" \t") != std::string_view::npos;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return rows;
}

/// No line disappears, and what is taken for a header when nobody asked for one is no row of numbers.
inline void check_lines(std::string_view text, const std::string& path, TextFormat format,
                        const TextContent& content) {
  if (content.error.empty() && has_plain_lines(text, format, content.separator))
    require(content.rows + content.has_header == count_rows(text), "every line is a row, a header or blank");
  const auto is_named = [](const TextColumn& column) { return std::holds_alternative<std::string>(column); };
  if (format.header != TextHeader::automatic || std::ranges::any_of(format.columns, is_named)) return;
  if (format.numeric_columns) return;  // which may leave out what a header names
  format.header = TextHeader::absent;
  const TextContent without = read_text(path, format);
  if (content.error.empty() && !content.has_header)
    require(without == content, "what is no header is a row");
  else
    require(!without.error.empty(), "what is a header cannot be read as numbers");
}

/// Reads the text in one block and in small ones.
inline TextContent read_text_twice(std::string_view text, TextFormat format, std::int64_t block_size) {
  const MemoryFile file(text);
  const TextContent content = read_text(file.path(), format);
  check_lines(text, file.path(), format, content);
  format.block_size = block_size;
  require(read_text(file.path(), format) == content, "blocks of any size give the same");
  return content;
}

}  // namespace foldline::fuzz
