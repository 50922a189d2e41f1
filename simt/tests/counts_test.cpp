// What launches count, against what can be counted by hand.
#include "counts.hpp"

#include <gtest/gtest.h>
#include <simt/report.hpp>

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
