#include <simt/options.hpp>
#include <simt/report.hpp>

namespace simt {

Traffic& Traffic::operator+=(const Traffic& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  parts += other.parts;
  ideal_parts += other.ideal_parts;
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  launches += other.launches;
  blocks += other.blocks;
  warps += other.warps;
  threads += other.threads;
  instructions += other.instructions;
  lane_instructions += other.lane_instructions;
  branches += other.branches;
  divergent_branches += other.divergent_branches;
  barriers += other.barriers;
  warp_functions += other.warp_functions;
  fences += other.fences;
  global_loads += other.global_loads;
  global_stores += other.global_stores;
  global_atomics += other.global_atomics;
  shared_loads += other.shared_loads;
  shared_stores += other.shared_stores;
  shared_atomics += other.shared_atomics;
  constant_loads += other.constant_loads;
  texture_loads += other.texture_loads;
  asynchronous_copies += other.asynchronous_copies;
  matrix_steps += other.matrix_steps;
  return *this;
}

std::vector<LaunchReport>& launches() {
  static std::vector<LaunchReport> all;
  return all;
}

Counts total_counts() {
  Counts total;
  for (const LaunchReport& launch : launches()) total += launch.counts;
  return total;
}

Options& options() {
  static Options all;
  return all;
}

}  // namespace simt
