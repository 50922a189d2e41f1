#include <simt/options.hpp>
#include <simt/report.hpp>

namespace simt {
namespace {

void scale_number(std::uint64_t& number, std::uint64_t by, std::uint64_t over) {
  __extension__ using Wide = unsigned __int128;
  number = static_cast<std::uint64_t>((Wide{number} * by + over / 2) / over);
}

/// Calls action(number) for each of the numbers, action(traffic) for each kind of traffic.
template <class Action>
void each(Counts& c, Action action) {
  for (std::uint64_t* const number :
       {&c.launches, &c.blocks, &c.warps, &c.threads, &c.instructions, &c.lane_instructions, &c.branches,
        &c.divergent_branches, &c.barriers, &c.warp_functions, &c.fences, &c.matrix_steps})
    action(*number);
  for (Traffic* const traffic :
       {&c.global_loads, &c.global_stores, &c.global_atomics, &c.shared_loads, &c.shared_stores,
        &c.shared_atomics, &c.constant_loads, &c.texture_loads, &c.asynchronous_copies})
    action(*traffic);
}

}  // namespace

void Traffic::scale(std::uint64_t by, std::uint64_t over) {
  for (std::uint64_t* const number : {&requests, &lanes, &bytes, &parts, &ideal_parts})
    scale_number(*number, by, over);
}

void Counts::scale(std::uint64_t by, std::uint64_t over) {
  each(*this, [&](auto& count) {
    if constexpr (requires { count.scale(by, over); })
      count.scale(by, over);
    else
      scale_number(count, by, over);
  });
}

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
