// What launches count, against what can be counted by hand.
#include "counts.hpp"

#include <gtest/gtest.h>
#include <simt/options.hpp>
#include <simt/report.hpp>
#include <utility>
#include <vector>

namespace {

template <class Run>
simt::Counts counts_of(Run run) {
  simt::launches().clear();
  run();
  return simt::total_counts();
}

TEST(Counts, SectorsOfStrides) {
  const auto sectors = [](int stride) {
    return counts_of([&] { read_with_stride(stride); }).global_loads.parts;
  };
  EXPECT_EQ(sectors(0), 1u);
  EXPECT_EQ(sectors(1), 4u);
  EXPECT_EQ(sectors(2), 8u);
  EXPECT_EQ(sectors(8), 32u);
  EXPECT_EQ(sectors(32), 32u);
}

TEST(Counts, VectorsAreLoadedAndStoredAtOnce) {
  const simt::Counts counts = counts_of(read_vectors);
  EXPECT_EQ(counts.global_loads.requests, 1u);
  EXPECT_EQ(counts.global_loads.parts, 16u);
  EXPECT_EQ(counts.global_stores.requests, 1u);
  EXPECT_EQ(counts.global_stores.parts, 16u);
}

TEST(Counts, StructuresAreCopiedAtOnce) {
  const simt::Counts counts = counts_of(copy_structures);
  EXPECT_EQ(counts.global_loads.requests, 1u);
  EXPECT_EQ(counts.global_stores.requests, 1u);
  EXPECT_EQ(counts.global_stores.parts, 16u);
}

TEST(Counts, PartsOfAVectorAreOneLoad) {
  const simt::Counts counts = counts_of(add_parts_of_vectors);
  EXPECT_EQ(counts.global_loads.requests, 1u);
  EXPECT_EQ(counts.global_loads.parts, 16u);
}

TEST(Counts, BankConflicts) {
  for (const auto& [stride, ways] :
       {std::pair(0, 1u), {1, 1u}, {2, 2u}, {3, 1u}, {4, 4u}, {32, 32u}, {33, 1u}}) {
    const simt::Counts counts = counts_of([&] { read_shared_with_stride(stride); });
    EXPECT_EQ(counts.shared_loads.requests, 1u);
    EXPECT_EQ(counts.shared_loads.parts, ways) << "stride " << stride;
    EXPECT_EQ(counts.shared_stores.parts, 33u);
  }
}

TEST(Counts, TurnsOfConstantMemory) {
  EXPECT_EQ(counts_of([] { read_constants(1); }).constant_loads.parts, 1u);
  EXPECT_EQ(counts_of([] { read_constants(5); }).constant_loads.parts, 5u);
  EXPECT_EQ(counts_of([] { read_constants(32); }).constant_loads.parts, 32u);
}

TEST(Counts, BranchesOfATreeThatDiverge) {
  // A block of 512 has 16 warps and 9 steps. In the first 5 steps every warp parts, then 8, 4, 2 and 1 of
  // them. Each warp has two branches in a step: for the addition and for the loop.
  const simt::Counts counts = counts_of([] { diverge_in_a_tree(512); });
  EXPECT_EQ(counts.divergent_branches, 5u * 16 + 8 + 4 + 2 + 1);
  EXPECT_EQ(counts.branches, 16u * 2 * 9);
  EXPECT_EQ(counts.barriers, 16u * 9);
  EXPECT_EQ(counts.global_loads.requests, 2u * (5 * 16 + 15));
}

TEST(Counts, LanesThatLeaveALoopWaitBehindIt) {
  // The warp goes round 32 times, with one lane less each time.
  const simt::Counts counts = counts_of(diverge_in_a_loop);
  EXPECT_EQ(counts.global_atomics.requests, 32u);
  EXPECT_EQ(counts.global_atomics.lanes, 32u * 33 / 2);
  EXPECT_EQ(counts.divergent_branches, 31u);
}

TEST(Counts, LanesMeetAgainAfterAFunctionThatReturnsTwice) {
  const simt::Counts counts = counts_of(leave_a_function_early);
  EXPECT_EQ(counts.global_loads.requests, 3u);  // x[i], which both ways read, and one for each
  EXPECT_EQ(counts.global_stores.requests, 1u);
}

TEST(Counts, ARemainderByANumberThatVariesCostsADivision) {
  // Clang makes a mask of both; nvcc of one.
  const std::uint64_t remainder = counts_of(take_remainders).instructions,
                      mask = counts_of(take_masks).instructions;
  EXPECT_GE(remainder, mask + 5 * 15) << "5 steps of one warp";
  EXPECT_LE(remainder, mask + 5 * 30);
}

TEST(Counts, OfASampleOfBlocksAreThoseOfAll) {
  const simt::Counts all = counts_of([] { read_in_many_blocks(100); });
  simt::options().sampled_blocks = 12;
  const simt::Counts sampled = counts_of([] { read_in_many_blocks(100); });
  simt::options().sampled_blocks = 0;
  EXPECT_EQ(all.blocks, 100u);
  EXPECT_EQ(sampled.blocks, all.blocks);
  EXPECT_EQ(sampled.launches, 1u);
  EXPECT_EQ(sampled.threads, all.threads);
  EXPECT_EQ(sampled.instructions, all.instructions);
  EXPECT_EQ(sampled.global_loads.requests, all.global_loads.requests);
  EXPECT_EQ(sampled.global_loads.parts, all.global_loads.parts);
}

TEST(Timeline, OfATree) {
  simt::options().timeline_steps = 100;
  counts_of([] { diverge_in_a_tree(64); });
  simt::options().timeline_steps = 0;
  const auto& warps = simt::launches().back().timelines;
  ASSERT_EQ(warps.size(), 2u);
  std::vector<std::uint32_t> adders;
  std::vector<std::uint64_t> sectors;
  std::vector<std::uint64_t> waits;
  for (const simt::Step& step : warps[0].steps) {
    EXPECT_EQ(step.ended, 0u);
    if (step.kind == simt::Step::Kind::barrier) waits.push_back(step.waits);
    if (step.what != "store of `x`") continue;
    adders.push_back(step.active);
    sectors.push_back(step.sectors.size());
    EXPECT_EQ(step.parts, step.sectors.size());
    EXPECT_TRUE(step.file.ends_with("counts.cu"));
  }
  EXPECT_EQ(adders, (std::vector<std::uint32_t>{0x55555555, 0x11111111, 0x01010101, 0x00010001, 1, 1}));
  EXPECT_EQ(sectors, (std::vector<std::uint64_t>{4, 4, 4, 2, 1, 1}));
  EXPECT_EQ(waits, std::vector<std::uint64_t>(6, 0)) << "it has most to do";
  // The other warp adds nothing in the last step, and waits there.
  std::uint64_t last = 0, all = 0;
  for (const simt::Step& step : warps[1].steps)
    if (step.kind == simt::Step::Kind::barrier) all += last = step.waits;
  EXPECT_GT(last, 0u);
  EXPECT_EQ(all, last);
}

TEST(Timeline, BanksAndWhatIsLeftOut) {
  simt::options().timeline_steps = 1000;
  counts_of([] { read_shared_with_stride(4); });
  const simt::Step* load = nullptr;
  for (const simt::Step& step : simt::launches().back().timelines[0].steps)
    if (step.what == "load of `part`") load = &step;
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->parts, 4u);
  for (std::size_t bank = 0; bank < 32; ++bank) EXPECT_EQ(load->banks[bank], bank % 4 == 0 ? 4 : 0) << bank;
  simt::options().timeline_steps = 5;
  counts_of([] { read_shared_with_stride(4); });
  simt::options().timeline_steps = 0;
  EXPECT_EQ(simt::launches().back().timelines[0].steps.size(), 5u);
  EXPECT_GT(simt::launches().back().timelines[0].left_out, 60u);
  counts_of([] { read_shared_with_stride(4); });
  EXPECT_TRUE(simt::launches().back().timelines.empty());
}

TEST(Counts, AreKeptForEachLine) {
  counts_of(read_vectors);
  const simt::LaunchReport& launch = simt::launches().back();
  EXPECT_NE(launch.kernel.find("vectors"), std::string::npos);
  int with_loads = 0;
  for (const simt::LineCounts& line : launch.lines)
    if (line.counts.global_loads.requests != 0) {
      ++with_loads;
      EXPECT_TRUE(line.file.ends_with("counts.cu")) << line.file;
    }
  EXPECT_EQ(with_loads, 1);
}

}  // namespace
