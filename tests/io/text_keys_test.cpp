// Keys of groups in texts.
#include "foldline/text_reader.hpp"

#include <string>
#include <vector>

#include "io/text_keys.hpp"
#include "text_file.hpp"

namespace foldline {
namespace {

using test::contains;
using test::error_of;
using test::read_text;
using test::TextContent;

TEST(TextKeys, GivesKeys) {
  const std::string text = "name,x\nb,1\n\"a,\"\"\n\",2\n b ,3\n,4\n";
  const TextContent content = read_text(text, {.columns = {2}, .key = {1}});
  EXPECT_EQ(content.error, "");
  EXPECT_EQ(content.keys[0], (std::vector<std::string>{"b", "a,\"\n", "b", ""}));
}

TEST(TextKeys, JoinsTheTextsOfSeveralKeyColumns) {
  using namespace std::string_literals;
  const std::string text = "k,x,l\nb,1,c\n\"b\n\",2,c\nb,3,c\n,4,\n";
  EXPECT_EQ(read_text(text, {.columns = {2}, .key = {1, "l"}}).keys[0],
            (std::vector<std::string>{"b\0c"s, "b\n\0c"s, "b\0c"s, "\0"s}));
  EXPECT_EQ(read_text(text, {.columns = {2}, .key = {3, 1, 3}}).keys[0],
            (std::vector<std::string>{"c\0b\0c"s, "c\0b\n\0c"s, "c\0b\0c"s, "\0\0"s}));
  EXPECT_TRUE(
      contains(error_of("1,2,3\n1,2\n", {.columns = {1}, .key = {2, 3}}), "line 2, column 3: is not there"));
}

TEST(TextKeys, LimitsKeys) {
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

TEST(TextKeys, GivesKeysOfSkippedValuesToNobody) {
  const std::string text = "a,1,2\nb,,4\nc,5,\nd,7,8\n";
  using Keys = std::vector<std::string>;
  TextFormat format{.columns = {2, 3}, .key = {1}, .missing = MissingValues::skip_value};
  EXPECT_EQ(read_text(text, format).keys, (std::vector<Keys>{{"a", "c", "d"}, {"a", "b", "d"}}));
  format.missing = MissingValues::skip_row;
  EXPECT_EQ(read_text(text, format).keys, (std::vector<Keys>{{"a", "d"}, {"a", "d"}}));
}

TEST(TextKeys, AHashOfZeroIsNoEmptySlot) {
  io::KeyTable table(10);
  std::vector<io::KeySearch> searches = {{.key = "a"}, {.key = "b", .hash = 1}, {.key = "c"}};
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(table.find(searches), 3u);
    for (const io::KeySearch& search : searches) EXPECT_EQ(search.record->text(), search.key);
  }
  EXPECT_EQ(table.keys(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(TextKeys, ABlockCanChangeReaders) {
  TextBlock block;
  for (const std::string name : {"x", "y"}) {
    const test::TemporaryFile file(name + ",1\n");
    TextReader reader = TextReader::open(file.path(), {.columns = {2}, .key = {1}});
    ASSERT_TRUE(reader.read(block));
    EXPECT_EQ(reader.keys(), std::vector<std::string>{name});
    EXPECT_EQ(block.keys()[0], 0u);
  }
}

}  // namespace
}  // namespace foldline
