// What is wrong with a text, and where; rows and lines that are too long.
#include "foldline/text_reader.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "text_file.hpp"

namespace foldline {
namespace {

using test::contains;
using test::error_of;
using test::TextContent;
using test::values_of;
using Values = std::vector<double>;

TEST(TextError, SaysWhichFieldIsWrong) {
  const TextFormat second{.columns = {2}};
  EXPECT_EQ(error_of("a,b\n1,2\n1,12x\n", second),
            "line 3, column 2 (\"b\"): \"12x\" is not a number; correct it or choose other columns");
  EXPECT_EQ(error_of("# c\n1,2\n\n1,x\n", second),
            "line 4, column 2: \"x\" is not a number; correct it or choose other columns");
  EXPECT_EQ(error_of("1,2\n1\n", second),
            "line 2, column 2: is not there: the row has 1 field; fill it in, or skip missing values");
  EXPECT_EQ(error_of("1,2\n1,2,3\n", second),
            "line 2: the row has 3 fields, the first line 2; quote fields that contain the separator");
  EXPECT_EQ(error_of("1,2\n1,NA\n", second),
            "line 2, column 2: \"NA\" stands for no value; fill it in, or skip missing values");
  EXPECT_EQ(error_of("1;2\n1;1,5\n", second),
            "line 2, column 2: \"1,5\" is not a number; give the decimal mark and what "
            "separates thousands");
  EXPECT_EQ(
      error_of("1,2\n\"a\nb\",\"\x9b[31m\"\"\xff\"\n", second),
      "line 3, column 2: \"\\x9b[31m\\\"\\\"\\xff\" is not a number; correct it or choose other columns");
  EXPECT_EQ(error_of("1\n" + std::string(100, 'x')),
            "line 2, column 1: \"" + std::string(40, 'x') +
                "...\" is not a number; correct it or choose other columns");
}

TEST(TextError, SaysWhatIsWrongWithQuotes) {
  EXPECT_EQ(error_of("1,2\n1,\"2\n3,4\n", {.columns = {1}}),
            "line 2, column 2: the quote that opens here is never closed; close it");
  EXPECT_EQ(error_of("1,2\n\"1\"2,3\n", {.columns = {1}}),
            "line 2, column 1: there is text after a closing quote; within quotes, write \"\" for a quote");
  EXPECT_EQ(error_of("\"a\"b,c\n1,2\n", {.columns = {"c"}}),
            "line 1, column 1: there is text after a closing quote; within quotes, write \"\" for a quote");
  EXPECT_EQ(error_of("# c\n\"a,c\n1,2\n", {.columns = {"c"}}),
            "line 2, column 1: the quote that opens here is never closed; close it");
  EXPECT_EQ(values_of("5\" pipe,1\n\"\",2", {.columns = {2}}), (Values{1, 2}));
}

TEST(TextError, RefusesWhatIsNotText) {
  const std::string nul("1\n2\n3\0\n4x\n", 11);
  EXPECT_EQ(error_of(nul), "line 3: there is a NUL byte; is this a text?");
  EXPECT_EQ(error_of(std::string("\0001\n", 3)), "line 1: there is a NUL byte; is this a text?");
  const std::string long_text = std::string(5000, '\n');  // NULs are looked for behind the first block too
  EXPECT_EQ(error_of(long_text + nul), "line 5003: there is a NUL byte; is this a text?");
  EXPECT_TRUE(contains(error_of(long_text + std::string("1\nx\n\0\n", 7)),
                       "line 5002, column 1: \"x\" is not a number"));
  EXPECT_TRUE(contains(error_of(std::string("\xff\xfe"
                                            "1\0",
                                            4)),
                       "is UTF-16; convert it to UTF-8"));
  EXPECT_TRUE(contains(error_of(std::string("\xfe\xff\0"
                                            "1",
                                            4)),
                       "is UTF-16; convert it to UTF-8"));
  EXPECT_TRUE(contains(error_of("\x1f\x8b\b"), "compressed by gzip"));
  EXPECT_TRUE(contains(error_of("\x28\xb5\x2f\xfd"), "compressed by zstd"));
  EXPECT_TRUE(contains(error_of("\xfd"
                                "7zXZ"),
                       "compressed by xz"));
  EXPECT_TRUE(contains(error_of("\x93NUMPY"), "is a .npy file"));
  EXPECT_THROW(TextReader::open("/tmp/no/such/file.csv", {}), DataError);
  EXPECT_THROW(TextReader::open("/", {}), DataError);
}

TEST(TextError, LimitsTheLengthOfRows) {
  for (const std::size_t limit : {std::size_t{100}, std::size_t{1} << 20}) {
    const std::string message = ": the row has more than " + std::to_string(limit) +
                                " bytes; is this a text, and is every quote closed? If so, allow longer rows";
    const auto error = [&](const std::string& text, std::int64_t block_size) {
      const test::TemporaryFile file(text);
      return test::read_path(file.path(), {.columns = {1},
                                           .header = TextHeader::absent,
                                           .missing = MissingValues::skip_value,
                                           .longest_row = static_cast<std::int64_t>(limit),
                                           .block_size = block_size})
          .error;
    };
    for (const std::int64_t block_size : {1, 1000, 1 << 18, 1 << 22}) {
      // Padded with zeros, blanks, as a comment, within quotes: exactly the limit is read, one byte more is
      // not.
      for (const auto& [before, pad, after] :
           {std::tuple{"", '0', "1\n"}, {"", ' ', "1\n"}, {"#", '#', "\n"}, {"\"", '\n', "1\"\n"}}) {
        const std::string fixed = std::string(before) + after;
        const std::string longest = before + std::string(limit - fixed.size(), pad) + after;
        const std::string longer = before + std::string(limit + 1 - fixed.size(), pad) + after;
        const std::string found = error("5\n" + longest + "6\n", block_size);
        EXPECT_FALSE(contains(found, "the row has")) << before << pad;
        EXPECT_EQ(error("5\n" + longer + "6\n", block_size), "line 2" + message) << before << pad;
        EXPECT_EQ(error(longer + "6\n", block_size), "line 1" + message) << before << pad;
      }
      EXPECT_EQ(error("1\n\"" + std::string(2 * limit, '\n'), block_size), "line 2" + message);
      EXPECT_EQ(error("1\nx" + std::string(limit, ' ') + "\n", block_size), "line 2" + message);
      EXPECT_EQ(error("1\n" + std::string(limit + 1, '1'), block_size), "line 2" + message);
    }
  }
}

/// Lines of numbers between blanks are longer than any limit: they are cut.
TEST(TextError, CutsLongLines) {
  std::string text = "# comment, with\t separators;\n";
  Values expected;
  for (int i = 0; i < 300'000; ++i) {
    text += std::to_string(i) + (i % 7 == 0 ? "   " : " ");
    expected.push_back(i);
  }
  const auto content = [](const std::string& from, std::int64_t block_size, std::int64_t limit) {
    const test::TemporaryFile file(from);
    return test::read_path(file.path(), {.longest_row = limit, .block_size = block_size});
  };
  for (const std::int64_t block_size : {1000, 1 << 18, 1 << 24}) {
    for (const std::string end : {"", "\n", "# end", "\n7 8 # end\n\n9", "x", "\n3 y"}) {
      const TextContent found = content(text + end, block_size, 100'000);
      if (end == "x" || end == "\n3 y") {
        EXPECT_TRUE(
            contains(found.error, end == "x" ? "line 2, column 300001: \"x\"" : "line 3, column 2: \"y\""));
        continue;
      }
      EXPECT_EQ(found.error, "");
      Values all = expected;
      if (contains(end, "7")) all.insert(all.end(), {7, 8, 9});
      EXPECT_EQ(found.values(), all);
      EXPECT_EQ(found.rows, contains(end, "7") ? 3 : 1);
    }
  }
  EXPECT_TRUE(contains(content(text + "\"", 1000, 10'000).error, "column 300001: the quote that opens here"));
  EXPECT_TRUE(contains(content(text + '#' + std::string(20'000, ' '), 1000, 10'000).error,
                       "line 2: the row has more than"));
}

}  // namespace
}  // namespace foldline
