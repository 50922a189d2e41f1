#include "report/summary.hpp"

#include <map>
#include <utility>

#include "runtime/places.hpp"

namespace simt {
namespace {

/// Where an event's traffic is counted; null if it is not traffic.
Traffic* traffic_of(Counts& counts, EventKind kind, Access access) {
  switch (kind) {
    case EventKind::global:
      return access == Access::load    ? &counts.global_loads
             : access == Access::store ? &counts.global_stores
                                       : &counts.global_atomics;
    case EventKind::shared:
      return access == Access::load    ? &counts.shared_loads
             : access == Access::store ? &counts.shared_stores
                                       : &counts.shared_atomics;
    case EventKind::constant:
      return &counts.constant_loads;
    case EventKind::texture:
      return &counts.texture_loads;
    case EventKind::async_copy:
      return &counts.asynchronous_copies;
    default:
      return nullptr;
  }
}

void add_site(Counts& counts, const SiteCounts& site) {
  const Event event{0, site.word};
  if (Traffic* const traffic = traffic_of(counts, event.kind(), event.access())) *traffic += site.traffic;
  if (event.kind() == EventKind::barrier) counts.barriers += site.traffic.requests;
  if (event.kind() == EventKind::warp_function) counts.warp_functions += site.traffic.requests;
  if (event.kind() == EventKind::fence) counts.fences += site.traffic.requests;
  if (event.kind() == EventKind::matrix_step) counts.matrix_steps += site.traffic.requests;
}

void add_block(Counts& counts, const BasicBlock& block, const BlockCounts& count) {
  counts.instructions += count.warps * block.weight;
  counts.lane_instructions += count.lanes * block.weight;
  if (!block.is_branch) return;
  counts.branches += count.warps;
  counts.divergent_branches += count.divergent;
}

/// From the blocks of a sample to all.
void scale(LaunchReport& report, std::uint64_t blocks, std::uint64_t sampled) {
  report.counts.scale(blocks, sampled);
  report.counts.launches = 1;
  for (LineCounts& line : report.lines) line.counts.scale(blocks, sampled);
}

}  // namespace

LaunchReport summary(const Machine& all) {
  LaunchReport report;
  report.kernel = function_name(all.kernel);
  report.grid = all.grid;
  report.block = all.block;
  report.shared_bytes = all.dynamic_bytes;
  report.counts = all.counters.totals;
  report.counts.launches = 1;
  report.counts.warps = report.counts.blocks * ((all.threads + warp_lanes - 1) / warp_lanes);
  report.counts.threads = report.counts.blocks * all.threads;
  std::map<std::pair<std::string, int>, Counts> lines;
  const auto at = [&](std::uintptr_t site) -> Counts& {
    const SourcePlace place = source_place(site);
    return lines[{place.file, place.line}];
  };
  const std::vector<BlockCounts>& blocks = all.counters.blocks();
  for (std::uint32_t id = 1; id < blocks.size(); ++id) {
    if (blocks[id].warps == 0) continue;
    add_block(report.counts, images().blocks[id], blocks[id]);
    if (all.options.lines) add_block(at(images().blocks[id].address + 1), images().blocks[id], blocks[id]);
  }
  for (const SiteCounts& site : all.counters.sites()) {
    if (site.word == 0) continue;
    add_site(report.counts, site);
    if (all.options.lines) add_site(at(Event{0, site.word}.code()), site);
  }
  for (auto& [place, counts] : lines)
    if (!place.first.empty()) report.lines.push_back({place.first, place.second, counts});
  report.timelines = timelines_of(all.recorders);
  if (!all.sample.empty()) scale(report, all.blocks, all.sample.size());
  return report;
}

}  // namespace simt
