// Device memory: where allocations lie, what is free again, and which bytes have a value.
#include "memory/memory.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace simt {
namespace {

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(Memory, FindsAllocationsByTheirBytesAndRedZones) {
  Memory memory;
  const std::uintptr_t a = number(memory.allocate(100, MemoryKind::device));
  const std::uintptr_t b = number(memory.allocate(5000, MemoryKind::device));
  for (const auto& [begin, bytes] : {std::pair{a, 100u}, std::pair{b, 5000u}}) {
    ASSERT_TRUE(memory.contains(begin));
    for (const std::uintptr_t inside : {begin, begin + bytes - 1, begin + bytes, begin - 1,
                                        begin - Memory::red_zone, begin + bytes + Memory::red_zone - 1}) {
      ASSERT_NE(memory.find(inside), nullptr) << inside - begin;
      EXPECT_EQ(memory.find(inside)->begin, begin) << inside - begin;
    }
    EXPECT_EQ(memory.find(begin)->bytes, bytes);
  }
  EXPECT_EQ(memory.find(a)->number, 1u);
  EXPECT_EQ(memory.find(b)->number, 2u);
  int on_the_host = 0;
  EXPECT_FALSE(memory.contains(number(&on_the_host)));
}

TEST(Memory, HoldsWhatLiesWithinEntirely) {
  const Allocation array{1000, 16, MemoryKind::device, false, 1};
  EXPECT_TRUE(array.holds(1000, 16));
  EXPECT_TRUE(array.holds(1012, 4));
  EXPECT_FALSE(array.holds(1013, 4));
  EXPECT_FALSE(array.holds(999, 4));
  EXPECT_FALSE(array.holds(1000, 17));
  EXPECT_FALSE((Allocation{1000, 0, MemoryKind::device, false, 1}.holds(1000, 1)));
}

TEST(Memory, FreesOnceAndOnlyWhatItAllocated) {
  Memory memory;
  void* const data = memory.allocate(64, MemoryKind::device);
  EXPECT_EQ(memory.in_use(), 64u);
  EXPECT_FALSE(memory.free(static_cast<char*>(data) + 4));
  int on_the_host = 0;
  EXPECT_FALSE(memory.free(&on_the_host));
  EXPECT_TRUE(memory.free(data));
  EXPECT_FALSE(memory.free(data));
  EXPECT_EQ(memory.in_use(), 0u);
  ASSERT_NE(memory.find(number(data)), nullptr);
  EXPECT_TRUE(memory.find(number(data))->freed);
  EXPECT_NE(memory.allocate(64, MemoryKind::device), data);  // so that a use of the old one is seen
}

TEST(Memory, UsesFreedPlacesWhenNoOthersAreLeft) {
  Memory memory(std::size_t{1} << 24);
  for (int i = 0; i < 400; ++i) {
    void* const data = memory.allocate(4096, MemoryKind::device);
    ASSERT_NE(data, nullptr) << i;
    EXPECT_TRUE(memory.free(data));
  }
}

TEST(Memory, RefusesMoreThanItsCapacity) {
  Memory memory;
  memory.set_capacity(1000);
  void* const data = memory.allocate(600, MemoryKind::device);
  EXPECT_NE(data, nullptr);
  EXPECT_EQ(memory.allocate(401, MemoryKind::device), nullptr);
  EXPECT_NE(memory.allocate(400, MemoryKind::device), nullptr);
  memory.free(data);
  EXPECT_NE(memory.allocate(600, MemoryKind::device), nullptr);
}

TEST(Memory, NewBytesHaveNoValueUnlessTheHostCanWriteThem) {
  Memory memory;
  EXPECT_FALSE(memory.has_value(number(memory.allocate(8, MemoryKind::device)), 8));
  EXPECT_TRUE(memory.has_value(number(memory.allocate(8, MemoryKind::pinned)), 8));
  EXPECT_TRUE(memory.has_value(number(memory.allocate(8, MemoryKind::managed)), 8));
}

TEST(Memory, KnowsEachByteThatWasWritten) {
  Memory memory;
  constexpr std::size_t bytes = 200;
  const std::uintptr_t begin = number(memory.allocate(bytes, MemoryKind::device));
  std::vector<bool> expected(bytes);
  std::mt19937 random(1);
  for (int step = 0; step < 2000; ++step) {
    const std::size_t size = std::size_t{1} << random() % 5, at = random() % (bytes / size) * size;
    const std::size_t first = random() % bytes, count = random() % (bytes - first + 1);
    switch (random() % 3) {
      case 0:
        memory.set_value(begin + at, size);
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at), size, true);
        break;
      case 1:
        memory.set_values(begin + first, count, step % 2 == 0);
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(first), count, step % 2 == 0);
        break;
      default: {
        const std::size_t to = random() % (bytes - count + 1);
        memory.copy_values(begin + to, begin + first, count);
        const std::vector<bool> before = expected;
        for (std::size_t i = 0; i < count; ++i) expected[to + i] = before[first + i];
      }
    }
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(memory.has_value(begin + i, 1), expected[i]) << "step " << step << ", byte " << i;
    bool all = true;
    for (std::size_t i = 0; i < size; ++i) all = all && expected[at + i];
    ASSERT_EQ(memory.has_value(begin + at, size), all);
    ASSERT_EQ(memory.has_values(begin + at, size), all);
  }
}

TEST(Memory, KnowsHostMemoryThatWasRegistered) {
  Memory memory;
  std::vector<int> host(10);
  EXPECT_TRUE(memory.register_host(host.data(), 40));
  EXPECT_FALSE(memory.register_host(host.data(), 40));
  ASSERT_NE(memory.find_registered(number(&host[9])), nullptr);
  EXPECT_EQ(memory.find_registered(number(&host[9]))->begin, number(host.data()));
  EXPECT_EQ(memory.find_registered(number(host.data() + 10)), nullptr);
  EXPECT_TRUE(memory.unregister_host(host.data()));
  EXPECT_FALSE(memory.unregister_host(host.data()));
  EXPECT_EQ(memory.find_registered(number(host.data())), nullptr);
}

}  // namespace
}  // namespace simt
