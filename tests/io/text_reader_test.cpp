#include "foldline/text_reader.hpp"

#include <cfenv>
#include <cmath>
#include <string>
#include <tuple>

#include "text_file.hpp"

namespace foldline {
namespace {

using test::contains;
using test::read_text;
using test::TextContent;
using Values = std::vector<double>;

Values values_of(const std::string& text, const TextFormat& format = {}, std::size_t column = 0) {
  const TextContent content = read_text(text, format);
  EXPECT_EQ(content.error, "") << text;
  return content.error.empty() ? content.values(column) : Values{};
}

std::string error_of(const std::string& text, const TextFormat& format = {}) {
  return read_text(text, format).error;
}

TEST(TextReader, ReadsOneNumberPerLine) {
  EXPECT_EQ(values_of("1\n2\n3\n"), (Values{1, 2, 3}));
  EXPECT_EQ(values_of("1\n2\n3"), (Values{1, 2, 3}));
  EXPECT_EQ(values_of("1\r\n2\r\n3\r\n"), (Values{1, 2, 3}));
  EXPECT_EQ(values_of("1\r\n2\r"), (Values{1, 2}));
  EXPECT_EQ(values_of("\xef\xbb\xbf"
                      "1\n2"),
            (Values{1, 2}));
  EXPECT_EQ(values_of("\n \n\t\n1\n\n\r\n 2 \n\t3\t\n\n"), (Values{1, 2, 3}));
  EXPECT_EQ(values_of("# a, b; c\n1\n  # c\n2 # d\n3\t#\n#"), (Values{1, 2, 3}));
}

TEST(TextReader, ReadsNothing) {
  for (const std::string text :
       {"", "\n", "\r\n", " ", "#", "# c\n", "\xef\xbb\xbf", "\n\n\n", "\xef\xbb\xbf\n# c"})
    EXPECT_EQ(values_of(text), Values{}) << text;
}

TEST(TextReader, ReadsNumbersBetweenBlanks) {
  EXPECT_EQ(values_of("1 2 3\n4\t5\n 6 "), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of("1 2\n3 4\n", {.columns = {2}}), (Values{2, 4}));
  EXPECT_EQ(values_of("  a   b\n 1\t2 \r\n3 \t 4 # x\n", {.columns = {"b"}}), (Values{2, 4}));
  EXPECT_EQ(values_of("\"1\" \"2\"\n\"3\""), (Values{1, 2, 3}));
}

TEST(TextReader, ReadsColumnsOfCsv) {
  const std::string text = "date,co2,n\n19580329,316.1,1\n19580405,317.3,2\n";
  EXPECT_EQ(values_of(text, {.columns = {2}}), (Values{316.1, 317.3}));
  EXPECT_EQ(values_of(text, {.columns = {"co2"}}), (Values{316.1, 317.3}));
  const TextFormat several = {.columns = {"n", 2, "co2"}};
  EXPECT_EQ(values_of(text, several, 0), (Values{1, 2}));
  EXPECT_EQ(values_of(text, several, 1), (Values{316.1, 317.3}));
  EXPECT_EQ(values_of(text, several, 2), (Values{316.1, 317.3}));
  EXPECT_EQ(values_of(text, {.every_column = true}, 0), (Values{19580329, 19580405}));
  EXPECT_EQ(values_of(text, {.every_column = true}, 2), (Values{1, 2}));
}

TEST(TextReader, FindsTheSeparator) {
  for (const char separator : {',', ';', '\t', ' ', '|', ':', '\x01'}) {
    const std::string text = std::string("a") + separator + "b\n1" + separator + "2\n";
    TextFormat format{.columns = {"b"}};
    if (separator == '|' || separator == ':' || separator == '\x01') format.separator = separator;
    EXPECT_EQ(values_of(text, format), Values{2}) << text;
    format.separator = separator;
    EXPECT_EQ(values_of(text, format), Values{2}) << text;
  }
  EXPECT_EQ(values_of("# a,b\n\n\"x,y\";z\n1;2\n", {.columns = {"x,y"}}), Values{1});
}

TEST(TextReader, SkipsMissingValuesIfTold) {
  const std::string text = "a,b\n1,\n,2\n3,NA\n-,null\n5,6\n7\n";
  EXPECT_EQ(error_of(text, {.columns = {1, 2}}),
            "line 2, column 2 (\"b\"): is empty; fill it in, or skip missing values");
  TextFormat format{.columns = {1, 2}, .missing = MissingValues::skip_value};
  EXPECT_EQ(values_of(text, format, 0), (Values{1, 3, 5, 7}));
  EXPECT_EQ(values_of(text, format, 1), (Values{2, 6}));
  format.missing = MissingValues::skip_row;
  EXPECT_EQ(values_of(text, format, 0), Values{5});
  EXPECT_EQ(values_of(text, format, 1), Values{6});
  EXPECT_EQ(read_text(text, format).missing, 6);
  EXPECT_EQ(read_text(text, format).rows, 6);
}

TEST(TextReader, GivesKeys) {
  const std::string text = "name,x\nb,1\n\"a,\"\"\n\",2\n b ,3\n,4\n";
  const TextContent content = read_text(text, {.columns = {2}, .key = {1}});
  EXPECT_EQ(content.error, "");
  EXPECT_EQ(content.keys[0], (std::vector<std::string>{"b", "a,\"\n", "b", ""}));
}

TEST(TextReader, JoinsTheTextsOfSeveralKeyColumns) {
  using namespace std::string_literals;
  const std::string text = "k,x,l\nb,1,c\n\"b\n\",2,c\nb,3,c\n,4,\n";
  EXPECT_EQ(read_text(text, {.columns = {2}, .key = {1, "l"}}).keys[0],
            (std::vector<std::string>{"b\0c"s, "b\n\0c"s, "b\0c"s, "\0"s}));
  EXPECT_EQ(read_text(text, {.columns = {2}, .key = {3, 1, 3}}).keys[0],
            (std::vector<std::string>{"c\0b\0c"s, "c\0b\n\0c"s, "c\0b\0c"s, "\0\0"s}));
  EXPECT_TRUE(
      contains(error_of("1,2,3\n1,2\n", {.columns = {1}, .key = {2, 3}}), "line 2, column 3: is not there"));
}

TEST(TextReader, SaysWhichFieldIsWrong) {
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

TEST(TextReader, SaysWhatIsWrongWithQuotes) {
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

TEST(TextReader, TakesAFirstLineOfNamesForAHeader) {
  EXPECT_EQ(values_of("x\n1\n2\n"), (Values{1, 2}));
  EXPECT_EQ(values_of("a,b\n1,2", {.columns = {2}}), Values{2});
  EXPECT_EQ(values_of("a,1\n3,2", {.columns = {2}}), (Values{1, 2}));  // the first column is not selected
  EXPECT_EQ(values_of("1\n2", {.header = TextHeader::present}), Values{2});
  EXPECT_EQ(values_of("nan\ninf", {}).size(), 2u);
  EXPECT_EQ(values_of("NA\n1", {.missing = MissingValues::skip_value}), Values{1});
  EXPECT_EQ(error_of("x\n1\n", {.header = TextHeader::absent}),
            "line 1, column 1: \"x\" is not a number; correct it or choose other columns");
  // What begins like a number is a wrong number, not a name.
  for (const std::string wrong : {"12x", "-x", "+x", ".x", "1_000"})
    EXPECT_TRUE(contains(error_of(wrong + "\n1\n"), "line 1, column 1: \"" + wrong + "\" is not a number"));
}

TEST(TextReader, SaysWhichColumnsThereAre) {
  const std::string text = "a,b,b\n1,2,3\n";
  EXPECT_EQ(error_of(text, {.columns = {"c"}}), "has no column \"c\"; it has \"a\", \"b\", \"b\"");
  EXPECT_EQ(error_of(text, {.columns = {"b"}}), "has more than one column \"b\"; give its number");
  EXPECT_EQ(error_of(text, {.columns = {4}}),
            "has no column 4: its first line has 3 columns; check the column and the separator");
  EXPECT_EQ(error_of(text, {.columns = {"a"}, .key = {4}}),
            "has no column 4: its first line has 3 columns; check the column and the separator");
  EXPECT_EQ(error_of(text), "has 3 columns (\"a\", \"b\", \"b\"); say which of them is wanted");
  EXPECT_EQ(error_of("1,2\n"), "has 2 columns; say which of them is wanted");
  EXPECT_EQ(error_of("1 2\n", {.columns = {"a"}, .header = TextHeader::absent}),
            "has no header line, so no column is named \"a\"; give its number");
  EXPECT_EQ(error_of("", {.columns = {"a"}}),
            "has no header line, so no column is named \"a\"; give its number");
  EXPECT_TRUE(contains(error_of("a,b,c,d,e,f,g,h,i,j,k,l\n", {.columns = {"z"}}), "\"j\", and 2 more"));
}

TEST(TextReader, ReadsIntegers) {
  const TextContent content = read_text("127\n-128\n+1\n1.0\n1.2e1\n0x1F\n-0\n", {.type = ElementType::int8});
  EXPECT_EQ(content.error, "");
  EXPECT_EQ(content.values<std::int8_t>(), (std::vector<std::int8_t>{127, -128, 1, 1, 12, 31, 0}));
  EXPECT_EQ(read_text("18446744073709551615", {.type = ElementType::uint64}).values<std::uint64_t>().at(0),
            UINT64_MAX);
  EXPECT_EQ(error_of("n\n128\n", {.type = ElementType::int8}),
            "line 2, column 1 (\"n\"): \"128\" is beyond the range of int8; choose another element type");
  EXPECT_EQ(error_of("-1\n", {.type = ElementType::uint64}),
            "line 1, column 1: \"-1\" is beyond the range of uint64; choose another element type");
  EXPECT_EQ(error_of("1\n1.5\n", {.type = ElementType::int64}),
            "line 2, column 1: \"1.5\" is not an integer; choose another element type");
}

TEST(TextReader, ANumberSignMayBePartOfAName) {
  EXPECT_EQ(read_text("Item #,Amount\n1,2\n3,4\n", {.columns = {"Amount"}}).values<double>(),
            (std::vector<double>{2, 4}));
  EXPECT_EQ(read_text("gene#\tv\n1\t2\n", {.columns = {"v"}}).values<double>(), std::vector<double>{2});
  // But what follows numbers is a comment, commas and all.
  EXPECT_EQ(read_text("1 2 # a, b\n3 4 # c\n").values<double>(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(read_text("1 # a, b").values<double>(), std::vector<double>{1});
  EXPECT_EQ(read_text("1 # a, b\n").values<double>(), std::vector<double>{1});
}

TEST(TextReader, TellsWhatItFound) {
  const test::TemporaryFile file("a;b\n1;2\n");
  TextReader reader = TextReader::open(file.path(), {.type = ElementType::float32, .columns = {"b", 1}});
  EXPECT_EQ(reader.name(), file.path());
  EXPECT_EQ(reader.type(), ElementType::float32);
  EXPECT_EQ(reader.separator(), ';');
  EXPECT_TRUE(reader.has_header());
  EXPECT_EQ(reader.width(), 2);
  EXPECT_EQ(reader.columns(), 2u);
  EXPECT_EQ(reader.column_name(0), "b");
  EXPECT_EQ(reader.column_name(1), "a");
  EXPECT_EQ(reader.size(), 8);
  TextBlock block;
  ASSERT_TRUE(reader.read(block));
  EXPECT_EQ(reader.position(), 4);  // the header is none of its blocks
  const TextReader other = TextReader::open(file.path(), {.columns = {2}, .header = TextHeader::absent});
  EXPECT_EQ(other.column_name(0), "2");
  EXPECT_FALSE(other.has_header());
}

TEST(TextReader, RefusesWhatIsNotText) {
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

TEST(TextReader, LimitsTheLengthOfRows) {
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
TEST(TextReader, CutsLongLines) {
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

TEST(TextReader, LimitsKeys) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + ",1\n";
  EXPECT_EQ(error_of(text, {.columns = {2}, .key = {1}, .most_keys = 10}), "");
  EXPECT_TRUE(contains(error_of(text, {.columns = {2}, .key = {1}, .most_keys = 9}),
                       "line 10, column 1: there are too many different keys, or too long ones"));
  const std::string long_key = std::string(641, 'k') + ",1\n";
  EXPECT_TRUE(contains(error_of(long_key, {.columns = {2}, .key = {1}, .most_keys = 10}), "too long ones"));
  EXPECT_EQ(error_of(long_key + long_key, {.columns = {2}, .key = {1}, .most_keys = 11}), "");
  EXPECT_TRUE(contains(error_of("1,2\n1\n", {.columns = {1}, .key = {2}}), "line 2, column 2: is not there"));
}

TEST(TextReader, GivesKeysOfSkippedValuesToNobody) {
  const std::string text = "a,1,2\nb,,4\nc,5,\nd,7,8\n";
  using Keys = std::vector<std::string>;
  TextFormat format{.columns = {2, 3}, .key = {1}, .missing = MissingValues::skip_value};
  EXPECT_EQ(read_text(text, format).keys, (std::vector<Keys>{{"a", "c", "d"}, {"a", "b", "d"}}));
  format.missing = MissingValues::skip_row;
  EXPECT_EQ(read_text(text, format).keys, (std::vector<Keys>{{"a", "d"}, {"a", "d"}}));
}

TEST(TextReader, DropsRowsOfAnyWidth) {
  TextFormat format{.missing = MissingValues::skip_row};
  EXPECT_EQ(values_of("1 2 NA\n3 4\nNA\n5 6 7\n", format), (Values{3, 4, 5, 6, 7}));
  format.all_columns = true;
  EXPECT_EQ(values_of("1,2\n3\n,4\n5,6\n", format), (Values{1, 2, 5, 6}));
}

TEST(TextReader, MakesOneVectorOfAllColumns) {
  EXPECT_EQ(values_of("1,2,3\n4,5,6\n", {.all_columns = true}), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of("a;b\n1;2\n\n3;4\n", {.all_columns = true}), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values_of("1 2\n3\n", {.all_columns = true}), (Values{1, 2, 3}));
  EXPECT_EQ(error_of("1,2\n3\n", {.all_columns = true}),
            "line 2, column 2: is not there: the row has 1 field; fill it in, or skip missing values");
  EXPECT_TRUE(contains(error_of("1,2\n3,4,5\n", {.all_columns = true}), "line 2: the row has 3 fields"));
  EXPECT_TRUE(
      contains(error_of("1,2\n3,x\n", {.all_columns = true}), "line 2, column 2: \"x\" is not a number"));
  const TextFormat format{.all_columns = true, .missing = MissingValues::skip_value};
  EXPECT_EQ(read_text("1,2,3\n4\n,NA,5\n", format).values(), (Values{1, 2, 3, 4, 5}));
  EXPECT_EQ(read_text("1,2,3\n4\n,NA,5\n", format).missing, 4);
}

TEST(TextReader, GivesUpColumnsThatHoldMoreThanNumbers) {
  const TextFormat numeric = {.numeric_columns = true};
  const std::string text = "# c\nname,x,y,z\nn,1,\"2\n\",\n\n,4,1x,6\n,7,y,NA\nm,,9,\n";
  const TextContent content = read_text(text, numeric);
  EXPECT_EQ(content.error, "");
  EXPECT_EQ(content.left_out,
            (std::vector<std::string>{"0, 3: \"n\" is not a number", "2, 3: \"2\\x0a\" is not a number"}));
  EXPECT_EQ(content.values(1), (Values{1, 4, 7}));
  EXPECT_EQ(content.values(3), Values{6});
  EXPECT_EQ(content.missing_in[1], 1);
  EXPECT_EQ(content.missing_in[3], 3);

  // A text that has no other columns is read as ever, and so are its errors.
  EXPECT_EQ(values_of("1 2 3\n4 5 6\n", numeric), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(contains(error_of("1\nx\n", numeric), "line 2"));
  EXPECT_TRUE(contains(error_of("a,b\n1,2\n1,2,3\n", numeric), "3 fields"));
  // Names and numbers in the first line: which it is, is for the reader to say.
  EXPECT_TRUE(contains(error_of("a,2020\n1,2\n", numeric), "names and numbers"));
  EXPECT_EQ(values_of("a,2020\n1,2\n", {.numeric_columns = true, .header = TextHeader::present}, 1),
            Values{2});
  EXPECT_EQ(values_of("a,2020\n1,2\n", {.numeric_columns = true, .header = TextHeader::absent}, 1),
            (Values{2020, 2}));
  const TextFormat integers = {.type = ElementType::int64, .numeric_columns = true};
  EXPECT_EQ(read_text("a,b\n1,2\n1.5,3\n", integers).left_out,
            std::vector<std::string>{"0, 3: \"1.5\" is not an integer"});
}

TEST(TextReader, SkipsLines) {
  const std::string text = "Report \"3\n\na,b\n1,2\n3,x\n";
  EXPECT_EQ(error_of(text, {.columns = {"b"}, .skip_lines = 2}),
            "line 5, column 2 (\"b\"): \"x\" is not a number; correct it or choose other columns");
  EXPECT_EQ(values_of(text, {.columns = {"a"}, .skip_lines = 2}), (Values{1, 3}));
  EXPECT_EQ(values_of("x\n1\n2", {.skip_lines = 2}), Values{2});
  EXPECT_EQ(values_of("sep=;\n1,5;2", {.columns = {2}, .skip_lines = 1, .separator = ';'}), Values{2});
  for (const std::string all : {"x\n1\n2", "x\n1\n2\n", "", "\n"})
    EXPECT_TRUE(contains(error_of(all, {.skip_lines = 3}), ", of which 3 are skipped; skip fewer")) << all;
  EXPECT_EQ(error_of("1\n2\n", {.skip_lines = 5}), "has 2 lines, of which 5 are skipped; skip fewer lines");
}

TEST(TextReader, HeedsExcelsLineOfTheSeparator) {
  for (const std::string line : {"sep=;\n", "SEP=;\r\n", "\"sep=;\"\n", "\xef\xbb\xbfsep=;\n"}) {
    EXPECT_EQ(values_of(line + "a;b\n1;2\n", {.columns = {"b"}}), Values{2}) << line;
    EXPECT_EQ(values_of(line + "a;b\n1;2\n", {.columns = {"b"}, .separator = ','}), Values{2}) << line;
  }
  EXPECT_EQ(values_of("sep=\t\n1\t2\n", {.columns = {2}}), Values{2});
  EXPECT_EQ(values_of("sep=|\n1|2\n", {.columns = {2}}), Values{2});
  EXPECT_EQ(error_of("sep=;\na;b\n1;x\n", {.columns = {"b"}}),
            "line 3, column 2 (\"b\"): \"x\" is not a number; correct it or choose other columns");
  EXPECT_TRUE(contains(error_of("sep=,\n1,2\n", {.columns = {1}, .decimal_mark = ','}),
                       "line 1: \",\" cannot both separate the fields and begin fractions"));
  EXPECT_EQ(values_of("sep=;"), Values{});
}

TEST(TextReader, TakesNamesFromAComment) {
  const std::string text = "# Simulation of Tuesday\n# t x y\n1 2 3\n4 5 6 # 7 8 9\n";
  EXPECT_EQ(values_of(text, {.columns = {"x"}}), (Values{2, 5}));
  EXPECT_EQ(values_of(text, {.columns = {"y", 1}}, 0), (Values{3, 6}));
  EXPECT_EQ(error_of(text, {.columns = {"z"}}), "has no column \"z\"; it has \"t\", \"x\", \"y\"");
  EXPECT_EQ(values_of("# k x\na 1\nb 2\n", {.columns = {"x"}, .key = {"k"}}), (Values{1, 2}));
  EXPECT_EQ(values_of("#t x\n# [s] [m]\n1 2\n", {.columns = {"x"}}), Values{2});
  EXPECT_EQ(values_of("## t x\n\n1 2\n", {.columns = {"x"}}), Values{2});
  EXPECT_EQ(values_of("# a,b\n1,2\n3,4\n", {.columns = {"a"}}), (Values{1, 3}));  // NumPy's savetxt
  EXPECT_EQ(values_of("% t x\n1 2\n", {.columns = {"x"}, .comment = '%'}), Values{2});
  // The rows are what they were: all of them, and a header stays one.
  EXPECT_EQ(values_of(text), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of("# a b\nx y\n1 2\n", {.columns = {"y"}}), Values{2});
  EXPECT_TRUE(contains(error_of("# 1 b\n1 2\n", {.columns = {"b"}}), "has no column \"b\""));
  EXPECT_TRUE(contains(error_of("# a b c\n1 2\n", {.columns = {"b"}}), "has no column \"b\""));
  EXPECT_TRUE(contains(error_of("# a b\n1 2\n", {.columns = {"b"}, .header = TextHeader::absent}),
                       "has no header line"));
  const test::TemporaryFile file(text);
  const TextReader reader = TextReader::open(file.path(), {.every_column = true});
  EXPECT_FALSE(reader.has_header());
  EXPECT_EQ(reader.column_name(1), "x");
}

TEST(TextReader, ReadsDecimalCommasAndThousands) {
  const TextFormat german{.decimal_mark = ',', .thousands = "."};
  EXPECT_EQ(values_of("1.234,5\n-1.234.567\n1234,25\n,5\n1,\n+12.345,e2\n0x1,8\n-inf\n", german),
            (Values{1234.5, -1234567, 1234.25, .5, 1, 1234500, 1.5, -INFINITY}));
  for (const std::string wrong :
       {"1.23,4", "1234.567", "1..234", ".234", "1.2345", "0.123", "1,234.5", "1,2,3", "1.234.", "1e1.000"})
    EXPECT_TRUE(contains(error_of("0\n" + wrong + "\n", german),
                         "line 2, column 1: \"" + wrong + "\" is not a number"))
        << wrong;
  EXPECT_TRUE(contains(error_of("0\n1.5\n", {.decimal_mark = ','}), "\"1.5\" is not a number"));
  EXPECT_EQ(values_of("1,5;2,5\n", {.columns = {2}, .decimal_mark = ','}), Values{2.5});
  EXPECT_EQ(values_of("x,\"1,234.5\"\n", {.columns = {2}, .separator = ',', .thousands = ","}),
            Values{1234.5});
  EXPECT_EQ(values_of("1 234,5\n1\xc2\xa0"
                      "234\n1\xe2\x80\xaf"
                      "234,\n",
                      {.decimal_mark = ',', .thousands = " "}),
            (Values{1234.5, 1234, 1234}));
  EXPECT_EQ(values_of("1'234.5\n1\xe2\x80\x99"
                      "234\n",
                      {.thousands = "'"}),
            (Values{1234.5, 1234}));
  EXPECT_EQ(values_of("1\xc2\xa0"
                      "234 5\n",
                      {.thousands = "\xc2\xa0"}),
            (Values{1234, 5}));
  EXPECT_EQ(read_text("9.223.372.036.854.775.807\n",
                      {.type = ElementType::int64, .decimal_mark = ',', .thousands = "."})
                .values<std::int64_t>()
                .at(0),
            INT64_MAX);
}

TEST(TextReader, ReadsFortransExponents) {
  EXPECT_EQ(values_of("1D+13\n2.5d0\n-.5D-1\n1.d3\n"), (Values{1e13, 2.5, -.05, 1000}));
  for (const std::string code :
       {"1D5", "12d0", "1.0-113", "2020-10", "1.0q5", "d5", "1.5d", "1.5d+", "0x1.8d+1z"})
    EXPECT_TRUE(contains(error_of("0\n" + code + "\n"), "is not a number")) << code;
  const TextFormat fortran{.fortran = true};
  EXPECT_EQ(values_of("1D5\n12d0\n1.0-113\n1.5+100\n1.0Q5\n0x1d\n", fortran),
            (Values{1e5, 12, 1e-113, 1.5e100, 1e5, 29}));
  for (const std::string code : {"2020-10", "1.0-13", "1.5-1000", "1-100", "1.5d"})
    EXPECT_TRUE(contains(error_of("0\n" + code + "\n", fortran), "is not a number")) << code;
}

TEST(TextReader, KnowsOwnMarkersOfMissingValues) {
  TextFormat format{.missing = MissingValues::skip_value, .missing_markers = {"-999", ".", "0.1", "none"}};
  const std::string text = "1\n-999\n-999.0\n-9.99e2\n999\n.\nNA\n0.10\n0.1000000000000000055\nnone\n";
  EXPECT_EQ(values_of(text, format), (Values{1, 999, 0.1}));
  EXPECT_EQ(values_of("-99900d-2\n.\n2\n", format), (Values{2}));
  format.type = ElementType::uint8;
  EXPECT_EQ(read_text("1\n-999.0\n", format).values<std::uint8_t>(), std::vector<std::uint8_t>{1});
  EXPECT_TRUE(contains(error_of("1\n-998\n", format), "beyond the range"));
  format = {.missing = MissingValues::skip_value, .missing_markers = {"nan", "0", "inf"}};
  EXPECT_EQ(values_of("1\nNaN\n-0.0\n0e5\n-inf\nInfinity\n", format), (Values{1, -INFINITY}));
  format.only_missing_markers = true;
  EXPECT_TRUE(contains(error_of("1\nNA\n", format), "\"NA\" is not a number"));
  EXPECT_EQ(error_of("1\n-999.0\n", {.missing_markers = {"-999"}}),
            "line 2, column 1: \"-999.0\" stands for no value; fill it in, or skip missing values");
  EXPECT_EQ(values_of(".\n1\n", {.missing = MissingValues::skip_value, .missing_markers = {"."}}), Values{1});
}

TEST(TextReader, ABlockCanChangeReaders) {
  TextBlock block;
  for (const std::string name : {"x", "y"}) {
    const test::TemporaryFile file(name + ",1\n");
    TextReader reader = TextReader::open(file.path(), {.columns = {2}, .key = {1}});
    ASSERT_TRUE(reader.read(block));
    EXPECT_EQ(reader.keys(), std::vector<std::string>{name});
    EXPECT_EQ(block.keys()[0], 0u);
  }
}

TEST(TextReader, RefusesFormatsWithoutSense) {
  const test::TemporaryFile file("1\n");
  const auto refused = [&](const TextFormat& format) {
    try {
      TextReader::open(file.path(), format);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({.columns = {0}}), "column 0 does not exist; columns count from 1");
  EXPECT_EQ(refused({.key = {-1}}), "column -1 does not exist; columns count from 1");
  for (const char c : {'1', 'e', 'X', '.', '-', '+', '"', '\n', '\r', '\0'}) {
    EXPECT_TRUE(contains(refused({.separator = c}), "cannot separate fields or begin comments"));
    if (c == TextFormat::no_comment) continue;
    EXPECT_TRUE(contains(refused({.comment = c}), "cannot separate fields or begin comments"));
  }
  EXPECT_TRUE(contains(refused({.comment = ' '}), "cannot begin comments, because it separates fields"));
  EXPECT_TRUE(contains(refused({.separator = ';', .comment = ';'}), "because it separates fields"));
  EXPECT_TRUE(contains(refused({.columns = {1}, .every_column = true}), "choose one"));
  EXPECT_TRUE(contains(refused({.columns = {1}, .all_columns = true}), "choose one"));
  EXPECT_TRUE(contains(refused({.every_column = true, .all_columns = true}), "choose one"));
  EXPECT_TRUE(contains(refused({.all_columns = true, .key = {1}}), "no column for the key"));
  EXPECT_TRUE(contains(refused({.skip_lines = -1}), "-1 lines cannot be skipped"));
  EXPECT_TRUE(contains(refused({.longest_row = 0}), "rows of 0 bytes"));
  EXPECT_TRUE(contains(refused({.decimal_mark = ';'}), "a point or a comma"));
  EXPECT_TRUE(contains(refused({.thousands = "_"}), "\"_\" cannot separate thousands"));
  EXPECT_TRUE(contains(refused({.decimal_mark = ',', .thousands = ","}), "are the same"));
  EXPECT_TRUE(contains(refused({.separator = ',', .decimal_mark = ','}), "cannot be told apart"));
  EXPECT_TRUE(contains(refused({.separator = ' ', .thousands = " "}), "both thousands and fields"));
  EXPECT_TRUE(contains(refused({.comment = ',', .decimal_mark = ','}), "part of numbers"));
  EXPECT_TRUE(contains(refused({.most_keys = 0}), "0 keys are not possible"));
  EXPECT_TRUE(contains(refused({.block_size = 0}), "a block of 0 bytes is not possible"));
}

/// The record of Mauna Loa: its weeks without a measurement are empty fields.
TEST(TextReader, ReadsTheRecordOfCarbonDioxide) {
  const std::string path = FOLDLINE_DATA_FOLDER "/co2.csv";
  EXPECT_EQ(test::read_path(path, {.columns = {"co2"}}).error,
            "line 8, column 2 (\"co2\"): is empty; fill it in, or skip missing values");
  const TextContent content =
      test::read_path(path, {.columns = {"co2"}, .missing = MissingValues::skip_value});
  EXPECT_EQ(content.rows, 2284);
  EXPECT_EQ(content.missing, 59);
  EXPECT_EQ(content.values().size(), 2225u);
  EXPECT_EQ(content.values().front(), 316.1);
}

/// A caller's modes of arithmetic change no value, and are as before afterwards.
TEST(TextReader, IgnoresTheRoundingMode) {
  const std::string text = "0.1\n-0.1\n1e23\n16777217\n0x1.000001p0\n";
  const Values expected = values_of(text);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const Values found = values_of(text);
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace foldline
