// The table of counts.
#include <fmt/format.h>

#include <algorithm>
#include <simt/options.hpp>

#include "runner/backend.hpp"

namespace foldline::ladder {
namespace {

double ratio(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// With four digits, as profilers print them; "-" where there is nothing to divide by.
std::string quotient(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  const double value = ratio(part, whole);
  return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}

std::string size_text(std::int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.4g} kB", value * 1e-3);
  return fmt::format("{:.4g} MB", value * 1e-6);
}

/// What moves between the multiprocessors and their caches, in whole sectors.
std::int64_t moved(const Counts& c) {
  return (c.loads.parts + c.stores.parts + c.atomics.parts + c.textures.parts) * c.sector_bytes;
}

/// Where a rung without kernels did its work.
const char* where(const RungInfo& rung) {
  if (rung.kind == Kind::library) return "foldline's CPU backend";
  return rung.on_gpu ? "no kernel" : "on the host";
}

void print_counts(const Line& line) {
  const Counts& c = *line.outcome.counts;
  if (c.launches == 0) {
    fmt::print(" {:>106}", where(line.rung));
  } else {
    const std::string divergent =
        c.branches == 0 ? "-" : fmt::format("{:.1f}%", 100 * ratio(c.divergent_branches, c.branches));
    fmt::print(" {:>8} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7} {:>9}", c.launches,
               c.blocks, quotient(c.instructions, c.warps), divergent, quotient(c.loads.requests, c.warps),
               quotient(c.loads.parts, c.loads.requests), quotient(c.stores.requests, c.warps),
               quotient(c.stores.parts, c.stores.requests), quotient(c.shared.requests, c.warps),
               quotient(c.shared.parts, c.shared.ideal_parts), quotient(c.barriers, c.warps),
               size_text(moved(c)));
  }
  fmt::print(" {:>8.3g} {:>4}  {}\n", line.outcome.check.worst_ulp, line.outcome.repeatable ? "yes" : "no",
             verdict_of(line));
}

}  // namespace

void print(const Report& report) {
  std::size_t width = 0;
  for (const Line& line : report.lines) width = std::max(width, label_of(line).size());
  fmt::print("\n{}: {}; simulated: {}\n", report.problem, report.title, simt::options().device.full_name);
  fmt::print("{:<{}} {:>8} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7} {:>9} {:>8} {:>4}\n",
             "", width, "launches", "blocks", "instr ~", "divergent", "loads", "sectors", "stores", "sectors",
             "shared", "banks", "barrier", "moved", "ulp", "same");
  for (const Line& line : report.lines) {
    fmt::print("{:<{}}", label_of(line), width);
    if (ran(line))
      print_counts(line);
    else
      fmt::print(" {}\n", reason_of(line));
  }
  print_own_tables(report);
}

}  // namespace foldline::ladder
