#include "io/text_marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace foldline::io {
namespace {

/// All bytes, in texts of all sizes around whole words: found one by one.
TEST(TextMarks, FindsWhatALoopFinds) {
  std::mt19937 generator(1);
  std::vector<std::uint64_t> memory;
  for (std::size_t size = 1; size < 400; ++size) {
    std::string text(size, 'x');
    const auto every = 1 + generator() % 90;
    for (char& c : text)
      c = static_cast<char>(generator() % every == 0 ? generator() % 6 : generator() % 256);
    const std::array<char, 4> wanted = {'\1', '\2', '\n', static_cast<char>(0xff)};
    text.back() = wanted[generator() % 4];
    const TextMarks marks = find_marks(text, wanted, memory);
    for (const char& c : text) {
      const char* expected = &c;
      while (std::ranges::find(wanted, *expected) == wanted.end()) ++expected;
      ASSERT_EQ(marks.next(&c), expected) << size;
    }
    ASSERT_EQ(count_byte(text, 'x'), std::ranges::count(text, 'x'));
    ASSERT_EQ(count_byte(text, '\2'), std::ranges::count(text, '\2'));
  }
  EXPECT_EQ(count_byte("", '\n'), 0);
}

}  // namespace
}  // namespace foldline::io
