// The random numbers of the texts' programs, which must be glibc's on any system.
#include "runner/random.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace foldline::ladder {
namespace {

TEST(TextbookRandom, HasTheNumbersThatProgramsWithoutSrandGet) {
  TextbookRandom random(1);
  for (const std::uint32_t expected : {1804289383u, 846930886u, 1681692777u, 1714636915u, 1957747793u})
    EXPECT_EQ(random.next(), expected);
}

TEST(TextbookRandom, TakesSeed0For1) {
  TextbookRandom zero(0), one(1);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(zero.next(), one.next());
}

TEST(TextbookRandom, GivesTheSumThatTheTextPrints) {
  TextbookRandom random(1);
  std::int64_t sum = 0;
  for (int i = 0; i < 1 << 24; ++i) sum += random.next() & 0xFF;
  EXPECT_EQ(sum, 2139353471);
}

#ifdef __GLIBC__
TEST(TextbookRandom, IsTheRandOfThisSystem) {
  for (const unsigned seed : {0u, 1u, 2u, 1234567u, 2147483647u}) {
    TextbookRandom random(seed);
    std::srand(seed);
    for (int i = 0; i < 100000; ++i)
      ASSERT_EQ(random.next(), static_cast<std::uint32_t>(std::rand())) << seed;
  }
}
#endif

}  // namespace
}  // namespace foldline::ladder
