// Files that several processes read a part of: any cut gives what the whole file gives.
#include <string>
#include <vector>

#include "foldline/array_reader.hpp"
#include "text_file.hpp"

namespace foldline {
namespace {

using test::read_blocks;
using test::TemporaryFile;
using test::TextContent;

/// Reads the parts that two processes would: the second again if its guess was wrong, which is counted.
TextContent read_in_two(const std::string& path, const TextFormat& format, std::int64_t cut, int& wrong) {
  TextContent first, second;
  TextReader before = TextReader::open(path, format);
  const TextPart whole = *before.unread();
  cut = std::clamp(cut, whole.begin, whole.end);
  before.read_only({whole.begin, cut}, true);
  read_blocks(before, first);
  const std::int64_t end = before.unread()->begin;
  EXPECT_GE(end, cut);
  TextReader after = TextReader::open(path, format);
  after.read_only({cut, whole.end}, cut == whole.begin);
  if (after.unread()->begin != end) {
    ++wrong;
    after = TextReader::open(path, format);
    after.read_only({end, whole.end}, true);
    EXPECT_EQ(after.unread()->begin, end);
  }
  read_blocks(after, second);
  EXPECT_EQ(after.unread()->begin, whole.end);
  TextContent both = first;
  for (std::size_t column = 0; column < both.vectors.size(); ++column) {
    both.vectors[column] += second.vectors[column];
    both.missing_in[column] += second.missing_in[column];
  }
  both.rows += second.rows;
  both.missing += second.missing;
  for (const LeftOutColumn& column : after.left_out()) {
    bool is_known = false;
    for (const LeftOutColumn& known : before.left_out()) is_known |= known.column == column.column;
    if (!is_known)
      both.left_out.push_back(std::to_string(column.column) + ", " +
                              std::to_string(column.line + before.lines_read()) + ": " + column.problem);
  }
  return both;
}

/// Returns how many cuts were within fields, so that the second part begins elsewhere than guessed.
int expect_any_cut(const std::string& text, TextFormat format = {}) {
  const TemporaryFile file(text);
  const TextContent whole = test::read_path(file.path(), format);
  EXPECT_EQ(whole.error, "") << text;
  int wrong = 0;
  for (const std::int64_t block_size : {1, 7, 50, 100'000}) {
    format.block_size = block_size;
    for (std::int64_t cut = 0; cut <= static_cast<std::int64_t>(text.size()); ++cut)
      EXPECT_EQ(read_in_two(file.path(), format, cut, wrong), whole)
          << "cut at byte " << cut << ", blocks of " << block_size << ": " << text;
  }
  return wrong;
}

TEST(Parts, OfLines) {
  for (const std::string end : {"\n", "\r\n"}) {
    std::string text = "\xef\xbb\xbf# made by hand" + end + end;
    for (int i = 0; i < 12; ++i) text += std::to_string(i * i) + (i % 3 == 0 ? "  # c" : "") + end;
    EXPECT_EQ(expect_any_cut(text), 0);
    text.resize(text.size() - end.size());
    EXPECT_EQ(expect_any_cut(text), 0);
  }
}

TEST(Parts, OfColumns) {
  const std::string text = "a,b,c\n1,2,3\n4,,6\n7,8,9\n\n10,11,x\n12,13,x\n14,,y\n";
  EXPECT_EQ(expect_any_cut(text, {.columns = {"b"}, .missing = MissingValues::skip_value}), 0);
  EXPECT_EQ(expect_any_cut(text, {.columns = {1, 2}, .missing = MissingValues::skip_row}), 0);
  EXPECT_EQ(expect_any_cut(text, {.numeric_columns = true}), 0);  // c is left out, for its line
}

TEST(Parts, OfFieldsWithLineEnds) {
  const std::string text = "a,b\n1,\"x\ny\"\n2,\"5,6\n7,8\n\"\"9,10\"\"\n11,12\"\n3,z\n\"4\",\"\"\n";
  EXPECT_GT(expect_any_cut(text, {.columns = {1}}), 0);
  EXPECT_GT(expect_any_cut("1 \"2\n3\" 4\n5 x 6", {.columns = {1, 3}}), 0);
}

TEST(Parts, OfLinesThatNothingTells) {
  expect_any_cut("1\r2\r3\r4\r");           // no "\n"
  expect_any_cut("1 2 3 4 5 6 7 8 9\n10");  // a line may be read in pieces
  expect_any_cut("");
  expect_any_cut("a\n", {.header = TextHeader::present});
}

TEST(Parts, OfText) {
  const TemporaryFile file("1\n2\n3\n");
  TextReader reader = TextReader::open(file.path(), {});
  EXPECT_THROW(reader.read_only({0, 7}, true), InvalidArgument);
  EXPECT_THROW(reader.read_only({3, 2}, true), InvalidArgument);
  EXPECT_THROW(reader.read_only({-1, 2}, true), InvalidArgument);
  reader.read_only({2, 2}, true);
  TextBlock block;
  EXPECT_FALSE(reader.read(block));
}

TEST(Parts, OfArrays) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
  const TemporaryFile file("head" + bytes);
  for (std::int64_t first = 0; first <= 100; first += 9)
    for (std::int64_t last = first; last <= 100; last += 7) {
      ArrayReader reader = ArrayReader::open_raw(file.path(), {.type = ElementType::int32, .offset = 4});
      reader.read_only(first, last);
      EXPECT_EQ(reader.position(), first);
      std::vector<std::byte> buffer(64);
      std::int64_t expected = first;
      while (const std::int64_t count = reader.read(buffer))
        for (std::int64_t i = 0; i < count; ++i) {
          int value = 0;
          std::memcpy(&value, buffer.data() + i * 4, 4);
          EXPECT_EQ(value, expected++);
        }
      EXPECT_EQ(expected, last);
      EXPECT_EQ(reader.position(), last);
      EXPECT_EQ(reader.place()->offset, 4);
    }
  ArrayReader reader = ArrayReader::open_raw(file.path(), {.type = ElementType::int32, .offset = 4});
  EXPECT_THROW(reader.read_only(0, 101), InvalidArgument);
  EXPECT_THROW(reader.read_only(5, 4), InvalidArgument);
  EXPECT_THROW(reader.read_only(-1, 4), InvalidArgument);
  test::FedPipe pipe(bytes);
  ArrayReader piped = ArrayReader::open_raw(pipe.path(), {.type = ElementType::int32});
  EXPECT_THROW(piped.read_only(0, 4), InvalidArgument);
}

}  // namespace
}  // namespace foldline
