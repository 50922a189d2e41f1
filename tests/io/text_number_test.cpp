// Numbers of texts: types, countries, Fortran, and what stands for none.
#include "foldline/text_reader.hpp"

#include <cfenv>
#include <cmath>
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

TEST(TextNumber, ReadsIntegers) {
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

TEST(TextNumber, ReadsDecimalCommasAndThousands) {
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
  EXPECT_EQ(values_of("\"1,5\",2\n\"2,5\",3\n", {.columns = {1}, .decimal_mark = ','}), (Values{1.5, 2.5}));
  EXPECT_EQ(values_of("1,\"2,5\"\n", {.columns = {2}, .separator = ',', .decimal_mark = ','}), Values{2.5});
  EXPECT_EQ(values_of("\"1,5\" 2,5\n", {.decimal_mark = ','}), (Values{1.5, 2.5}));
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

TEST(TextNumber, ReadsFortransExponents) {
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

TEST(TextNumber, KnowsOwnMarkersOfMissingValues) {
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

/// A caller's modes of arithmetic change no value, and are as before afterwards.
TEST(TextNumber, IgnoresTheRoundingMode) {
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
