// The rules of memory and control flow against their definitions, spelled out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "model/control_flow.hpp"
#include "model/requests.hpp"
#include "model/sample.hpp"
#include "model/simt_stack.hpp"

namespace simt::model {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

std::vector<std::uint64_t> with_stride(std::uint64_t begin, std::uint64_t bytes, int lanes = 32) {
  std::vector<std::uint64_t> addresses;
  for (int lane = 0; lane < lanes; ++lane)
    addresses.push_back(begin + static_cast<std::uint64_t>(lane) * bytes);
  return addresses;
}

/// The most different words in one bank.
std::uint32_t turns_by_definition(const std::vector<std::uint64_t>& addresses, unsigned bytes) {
  std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
  for (const std::uint64_t address : addresses)
    for (std::uint64_t byte = address; byte < address + bytes; ++byte)
      words_of_bank[byte / 4 % 32].insert(byte / 4);
  std::size_t most = 0;
  for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
  return static_cast<std::uint32_t>(most);
}

TEST(Requests, BankConflictsAreThoseOfTheRule) {
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u})
    for (std::uint64_t stride = 0; stride <= 33; ++stride) {
      const auto addresses = with_stride(0, stride * bytes);
      EXPECT_EQ(wavefronts(addresses, bytes).count, turns_by_definition(addresses, bytes))
          << "stride " << stride << ", elements of " << bytes;
    }
}

TEST(Requests, StridesOfFloatsConflictAsInTextbooks) {
  const auto ways = [](std::uint64_t stride) { return wavefronts(with_stride(0, 4 * stride), 4).count; };
  EXPECT_EQ(ways(0), 1u);
  EXPECT_EQ(ways(1), 1u);
  EXPECT_EQ(ways(2), 2u);
  EXPECT_EQ(ways(3), 1u);
  EXPECT_EQ(ways(4), 4u);
  EXPECT_EQ(ways(16), 16u);
  EXPECT_EQ(ways(32), 32u);
  EXPECT_EQ(ways(33), 1u);
}

TEST(Requests, RandomBanksAndSectors) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const unsigned bytes = 1u << random() % 5;
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t lanes = 1 + random() % 32; lanes > 0; --lanes)
      addresses.push_back(random() % 64 * bytes + 4096);
    EXPECT_EQ(wavefronts(addresses, bytes).count, turns_by_definition(addresses, bytes));
    std::set<std::uint64_t> found;
    for (const std::uint64_t address : addresses)
      for (std::uint64_t byte = address; byte < address + bytes; ++byte) found.insert(byte / 32);
    EXPECT_EQ(sectors(addresses, bytes, 32).count, found.size());
    EXPECT_EQ(turns(addresses).count, std::set(addresses.begin(), addresses.end()).size());
  }
}

TEST(Requests, SectorsGrowWithTheStride) {
  EXPECT_EQ(sectors(with_stride(0, 0), 4, 32).count, 1u);
  EXPECT_EQ(sectors(with_stride(0, 4), 4, 32).count, 4u);
  EXPECT_EQ(sectors(with_stride(4, 4), 4, 32).count, 5u);
  EXPECT_EQ(sectors(with_stride(0, 8), 4, 32).count, 8u);
  EXPECT_EQ(sectors(with_stride(0, 8), 4, 32).ideal, 4u);
  EXPECT_EQ(sectors(with_stride(0, 32), 4, 32).count, 32u);
  EXPECT_EQ(sectors(with_stride(0, 16), 16, 32).count, 16u);
  EXPECT_EQ(sectors(with_stride(0, 4), 4, 128).count, 1u);
}

TEST(Requests, CopiesThatConflictReadAgain) {
  // Rows of 64 bytes go to rows that are 64 bytes apart, without a conflict, or 80, where the ends of two
  // rows meet.
  std::vector<std::uint64_t> global, apart, meeting;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    global.push_back(lane / 4 * 16384 + lane % 4 * 16);
    apart.push_back(lane * 16);
    meeting.push_back(lane / 4 * 80 + lane % 4 * 16);
  }
  EXPECT_EQ(sectors_of_copy(global, apart, 16, 32).count, 16u);
  EXPECT_EQ(sectors_of_copy(global, meeting, 16, 32).count, 20u);
}

TEST(ControlFlow, MeetsBehindAnIf) {
  EXPECT_EQ(post_dominators({{1, 2}, {2}, {}}), (std::vector<std::uint32_t>{2, 2, 3}));
}

TEST(ControlFlow, MeetsBehindIfAndElse) {
  EXPECT_EQ(post_dominators({{1, 2}, {3}, {3}, {}}), (std::vector<std::uint32_t>{3, 3, 3, 4}));
}

TEST(ControlFlow, MeetsBehindALoop) {
  // 0: before; 1: head, leaves to 4; 2: branch in the body; 3: end of the body
  EXPECT_EQ(post_dominators({{1}, {2, 4}, {3, 1}, {1}, {}}), (std::vector<std::uint32_t>{1, 4, 1, 1, 5}));
}

TEST(ControlFlow, MeetsAtTheExitIfThereAreTwoReturns) {
  EXPECT_EQ(post_dominators({{1, 2}, {}, {}}), (std::vector<std::uint32_t>{3, 3, 3}));
}

TEST(ControlFlow, GivesAnEndlessLoopTheExit) {
  const std::vector<std::uint32_t> meets = post_dominators({{1, 2}, {1}, {}});
  EXPECT_EQ(meets[1], 3u);
}

/// Removes a block: can the exit still be reached from another?
bool is_passed(const Graph& graph, std::uint32_t from, std::uint32_t block) {
  std::vector<std::uint32_t> open = {from};
  std::set<std::uint32_t> seen = {from};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at == block) continue;
    if (graph[at].empty()) return false;
    for (const std::uint32_t next : graph[at])
      if (seen.insert(next).second) open.push_back(next);
  }
  return true;
}

TEST(ControlFlow, OfRandomGraphsIsTheNearestBlockThatAllWaysPass) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<std::uint32_t>(2 + random() % 9);
    Graph graph(count);
    for (std::uint32_t block = 0; block + 1 < count; ++block) {
      graph[block].push_back(block + 1);  // all reach the exit
      if (random() % 2 == 0) graph[block].push_back(static_cast<std::uint32_t>(random() % count));
    }
    const std::vector<std::uint32_t> meets = post_dominators(graph);
    for (std::uint32_t block = 0; block < count; ++block) {
      std::vector<std::uint32_t> passed;
      for (std::uint32_t other = 0; other < count; ++other)
        if (other != block && is_passed(graph, block, other)) passed.push_back(other);
      // The nearest is passed before all others that are passed.
      std::uint32_t nearest = count;
      for (const std::uint32_t one : passed)
        if (std::all_of(passed.begin(), passed.end(),
                        [&](std::uint32_t other) { return other == one || is_passed(graph, one, other); }))
          nearest = one;
      EXPECT_EQ(meets[block], nearest) << "round " << round << ", block " << block;
    }
  }
}

TEST(SimtStack, KeepsOneEntryForAllThatLeaveALoop) {
  SimtStack stack;
  stack.start(0xf);
  stack.top().block = 1;
  stack.part(9);
  stack.push(0x7, 9, 1);
  for (std::uint32_t lanes = 0x3; lanes != 0; lanes >>= 1) {
    stack.part(9);
    stack.push(lanes, 9, 1);
    EXPECT_EQ(stack.entries().size(), 2u);
  }
  EXPECT_EQ(stack.entries()[0].lanes, 0xfu);
}

TEST(Sample, HasCornersEdgesAndTheMiddle) {
  const auto has = [](const std::vector<std::uint64_t>& sample, std::uint64_t number) {
    return std::ranges::binary_search(sample, number);
  };
  const auto sample = sample_of_blocks(dim3(256 * 256), 24);
  EXPECT_EQ(sample.size(), 24u);
  for (const std::uint64_t row : {0u, 128u, 255u})
    for (const std::uint64_t column : {0u, 128u, 255u})
      EXPECT_TRUE(has(sample, row * 256 + column)) << row << ' ' << column;
  const auto of_two = sample_of_blocks(dim3(10, 30), 12);
  for (const std::uint64_t number : {0u, 9u, 290u, 299u, 155u}) EXPECT_TRUE(has(of_two, number)) << number;
}

TEST(Sample, IsAllOfASmallGrid) {
  for (const unsigned blocks : {1u, 2u, 7u, 24u}) {
    const auto sample = sample_of_blocks(dim3(blocks), 24);
    ASSERT_EQ(sample.size(), blocks);
    EXPECT_EQ(sample.back(), blocks - 1);
  }
  EXPECT_TRUE(sample_of_blocks(dim3(0), 24).empty());
  for (const unsigned blocks : {25u, 1000u, 4000001u})
    EXPECT_EQ(sample_of_blocks(dim3(blocks), 24).size(), 24u) << blocks;
}

}  // namespace
}  // namespace simt::model
