#include "runner/simulated/counts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "runner/device.hpp"

namespace foldline::ladder {
namespace {

std::int64_t number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

Requests requests_of(const simt::Traffic& t) {
  return {number(t.requests), number(t.lanes), number(t.bytes), number(t.parts), number(t.ideal_parts)};
}

simt::Traffic sum(simt::Traffic a, const simt::Traffic& b) { return a += b; }

}  // namespace

Counts counts_of(const simt::Counts& c, const simt::DeviceModel& device) {
  Counts counts;
  counts.launches = number(c.launches);
  counts.blocks = number(c.blocks);
  counts.warps = number(c.warps);
  counts.threads = number(c.threads);
  counts.instructions = number(c.instructions);
  counts.branches = number(c.branches);
  counts.divergent_branches = number(c.divergent_branches);
  counts.barriers = number(c.barriers);
  counts.loads = requests_of(sum(c.global_loads, c.asynchronous_copies));
  counts.stores = requests_of(c.global_stores);
  counts.atomics = requests_of(c.global_atomics);
  counts.shared = requests_of(sum(sum(c.shared_loads, c.shared_stores), c.shared_atomics));
  counts.constants = requests_of(c.constant_loads);
  counts.textures = requests_of(c.texture_loads);
  counts.sector_bytes = device.sector_bytes;
  return counts;
}

std::vector<LineCounts> lines_of(const std::vector<simt::LaunchReport>& launches,
                                 const simt::DeviceModel& device) {
  std::map<std::pair<std::string, int>, simt::Counts> sums;
  std::int64_t warps = 0;
  for (const simt::LaunchReport& launch : launches) {
    warps += number(launch.counts.warps);
    for (const simt::LineCounts& line : launch.lines) sums[{line.file, line.line}] += line.counts;
  }
  std::vector<LineCounts> lines;
  for (const auto& [place, counts] : sums) {
    lines.push_back({place.first, place.second, counts_of(counts, device)});
    lines.back().counts.warps = warps;
  }
  return lines;
}

void describe_launches(Outcome& outcome) {
  outcome.kernels = static_cast<int>(launches().size());
  if (launches().empty()) return;
  const Launch launch = *std::ranges::max_element(launches(), {}, &Launch::grid);
  outcome.grid = launch.grid;
  outcome.block = launch.block;
  outcome.shared_bytes = static_cast<std::int64_t>(launch.shared_bytes);
}

}  // namespace foldline::ladder
