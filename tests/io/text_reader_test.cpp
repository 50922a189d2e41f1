// Rows, columns and missing values of texts.
#include "foldline/text_reader.hpp"

#include <string>
#include <vector>

#include "text_file.hpp"

namespace foldline {
namespace {

using test::contains;
using test::error_of;
using test::read_text;
using test::TextContent;
using test::values_of;
using Values = std::vector<double>;

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

}  // namespace
}  // namespace foldline
