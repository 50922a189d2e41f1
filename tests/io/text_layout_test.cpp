// What the start of a text tells: separator, header, comments and columns.
#include "foldline/text_reader.hpp"

#include <string>
#include <vector>

#include "text_file.hpp"

namespace foldline {
namespace {

using test::contains;
using test::error_of;
using test::read_text;
using test::values_of;
using Values = std::vector<double>;

TEST(TextLayout, FindsTheSeparator) {
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

TEST(TextLayout, TakesAFirstLineOfNamesForAHeader) {
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

TEST(TextLayout, SaysWhichColumnsThereAre) {
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

TEST(TextLayout, ANumberSignMayBePartOfAName) {
  EXPECT_EQ(read_text("Item #,Amount\n1,2\n3,4\n", {.columns = {"Amount"}}).values<double>(),
            (std::vector<double>{2, 4}));
  EXPECT_EQ(read_text("gene#\tv\n1\t2\n", {.columns = {"v"}}).values<double>(), std::vector<double>{2});
  // But what follows numbers is a comment, commas and all.
  EXPECT_EQ(read_text("1 2 # a, b\n3 4 # c\n").values<double>(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(read_text("1 # a, b").values<double>(), std::vector<double>{1});
  EXPECT_EQ(read_text("1 # a, b\n").values<double>(), std::vector<double>{1});
}

TEST(TextLayout, SkipsLines) {
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

TEST(TextLayout, HeedsExcelsLineOfTheSeparator) {
  for (const std::string line : {"sep=;\n", "SEP=;\r\n", "\"sep=;\"\n", "\xef\xbb\xbfsep=;\n"}) {
    EXPECT_EQ(values_of(line + "a;b\n1;2\n", {.columns = {"b"}}), Values{2}) << line;
    EXPECT_EQ(values_of(line + "a;b\n1;2\n", {.columns = {"b"}, .separator = ','}), Values{2}) << line;
  }
  EXPECT_EQ(values_of("sep=\t\n1\t2\n", {.columns = {2}}), Values{2});
  EXPECT_EQ(values_of("sep=|\n1|2\n", {.columns = {2}}), Values{2});
  EXPECT_EQ(error_of("sep=;\na;b\n1;x\n", {.columns = {"b"}}),
            "line 3, column 2 (\"b\"): \"x\" is not a number; correct it or choose other columns");
  EXPECT_EQ(values_of("sep=,\n\"1,5\",2\n", {.columns = {1}, .decimal_mark = ','}), Values{1.5});
  EXPECT_EQ(values_of("sep=;"), Values{});
}

TEST(TextLayout, TakesNamesFromAComment) {
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

TEST(TextLayout, RefusesFormatsWithoutSense) {
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
  EXPECT_TRUE(contains(refused({.separator = ' ', .thousands = " "}), "both thousands and fields"));
  EXPECT_TRUE(contains(refused({.comment = ',', .decimal_mark = ','}), "part of numbers"));
  EXPECT_TRUE(contains(refused({.most_keys = 0}), "0 keys are not possible"));
  EXPECT_TRUE(contains(refused({.block_size = 0}), "a block of 0 bytes is not possible"));
}

}  // namespace
}  // namespace foldline
