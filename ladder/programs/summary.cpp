#include "programs/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <simt/report.hpp>
#include <simt/simt.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runner/simulated/timeline.hpp"

namespace foldline::ladder {
namespace {

std::string quotient(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.4g}", static_cast<double>(part) / static_cast<double>(whole));
}

std::string percentage(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

simt::Traffic sum(simt::Traffic a, const simt::Traffic& b) { return a += b; }

/// "scan<int>" of "void scan<int>(int*, int)".
std::string short_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.rfind('('));
  return name.starts_with("void ") ? name.substr(5) : name;
}

void print_row(const std::string& name, const simt::Counts& c) {
  const simt::Traffic shared = sum(sum(c.shared_loads, c.shared_stores), c.shared_atomics);
  fmt::print(stderr, "{:<32} {:>8} {:>10} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8}\n", name,
             c.launches, c.threads, quotient(c.instructions, c.warps),
             percentage(c.divergent_branches, c.branches), quotient(c.global_loads.requests, c.warps),
             quotient(c.global_loads.parts, c.global_loads.requests),
             quotient(c.global_stores.requests, c.warps),
             quotient(c.global_stores.parts, c.global_stores.requests), quotient(shared.requests, c.warps),
             quotient(shared.parts, shared.ideal_parts), quotient(c.barriers, c.warps));
}

}  // namespace

void print_launches() {
  if (simt::launches().empty()) return;
  std::vector<std::pair<std::string, simt::Counts>> kernels;
  for (const simt::LaunchReport& launch : simt::launches()) {
    const std::string name = short_name(launch.kernel);
    auto found = std::ranges::find(kernels, name, &std::pair<std::string, simt::Counts>::first);
    if (found == kernels.end()) found = kernels.insert(kernels.end(), {name, {}});
    found->second += launch.counts;
  }
  fmt::print(stderr,
             "\nSimulated as {}; from instr ~ (estimated) on, by warp; sectors and banks by request\n"
             "{:<32} {:>8} {:>10} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8}\n",
             simt::options().device.full_name, "", "launches", "threads", "instr ~", "divergent", "loads",
             "sectors", "stores", "sectors", "shared", "banks", "barriers");
  for (const auto& [name, counts] : kernels) print_row(name, counts);
}

void print_first_launches() {
  std::set<std::string> shown;
  for (const simt::LaunchReport& launch : simt::launches())
    if (shown.insert(launch.kernel).second) print_timelines(stderr, launch);
}

}  // namespace foldline::ladder
