// Reads texts for the tests, from a file and from a pipe, in blocks of many sizes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "foldline/text_reader.hpp"
#include "npy_file.hpp"

namespace foldline::test {

/// What a text gives: the bits of its values, or an error.
struct TextContent {
  std::vector<std::string> vectors;            ///< bytes of the values
  std::vector<std::vector<std::string>> keys;  ///< of each value
  std::int64_t rows = 0;
  std::int64_t missing = 0;
  std::vector<std::int64_t> missing_in;  ///< each column
  std::vector<std::string> left_out;     ///< "column, line: problem"
  std::string error;                     ///< without the name of the file

  bool operator==(const TextContent&) const = default;

  template <class T = double>
  std::vector<T> values(std::size_t column = 0) const {
    std::vector<T> result(vectors.at(column).size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), vectors.at(column).data(), vectors.at(column).size());
    return result;
  }
};

inline void read_blocks(TextReader& reader, TextContent& content) {
  TextBlock block;
  content.vectors.resize(reader.columns());
  content.keys.resize(reader.columns());
  content.missing_in.resize(reader.columns());
  for (std::int64_t number = 0; reader.read(block); ++number) {
    EXPECT_EQ(block.number(), number);
    content.rows += block.rows();
    content.missing += block.missing();
    const std::vector<std::string> names = reader.keys();
    for (std::size_t column = 0; column < reader.columns(); ++column) {
      const VectorView values = block.values(column);
      EXPECT_EQ(values.type(), reader.type());
      content.vectors[column].append(static_cast<const char*>(values.data()),
                                     static_cast<std::size_t>(values.size() * size_of(values.type())));
      content.missing_in[column] += block.missing(column);
      for (const std::uint32_t key : block.keys(column)) content.keys[column].push_back(names.at(key));
    }
  }
  EXPECT_FALSE(reader.read(block));  // the end stays the end
  EXPECT_EQ(block.rows(), 0);
  for (const LeftOutColumn& column : reader.left_out())
    content.left_out.push_back(std::to_string(column.column) + ", " + std::to_string(column.line) + ": " +
                               column.problem);
}

inline TextContent read_path(const std::string& path, const TextFormat& format) {
  TextContent content;
  try {
    TextReader reader = TextReader::open(path, format);
    read_blocks(reader, content);
  } catch (const DataError& error) {
    content = {};
    content.error = error.what();
    EXPECT_TRUE(content.error.starts_with(path + ": ")) << content.error;
    content.error.erase(0, std::min(content.error.size(), path.size() + 2));
  }
  return content;
}

/// Reads a text with each of many block sizes, from a file and a pipe: they must agree.
inline TextContent read_text(const std::string& text, TextFormat format = {}) {
  const TemporaryFile file(text);
  const TextContent content = read_path(file.path(), format);
  for (std::int64_t size = 1; size <= static_cast<std::int64_t>(text.size()) + 2 && size <= 200; ++size) {
    format.block_size = size;
    EXPECT_EQ(read_path(file.path(), format), content) << "in blocks of " << size << ": " << text;
  }
  for (const std::int64_t size : {3, 1000}) {
    format.block_size = size;
    FedPipe pipe(text);
    EXPECT_EQ(read_path(pipe.path(), format), content) << "from a pipe: " << text;
  }
  return content;
}

/// The values of a column of a text without errors.
inline std::vector<double> values_of(const std::string& text, const TextFormat& format = {},
                                     std::size_t column = 0) {
  const TextContent content = read_text(text, format);
  EXPECT_EQ(content.error, "") << text;
  return content.error.empty() ? content.values(column) : std::vector<double>{};
}

inline std::string error_of(const std::string& text, const TextFormat& format = {}) {
  return read_text(text, format).error;
}

}  // namespace foldline::test
