#include "runner/print_times.hpp"

#include <fmt/format.h>

namespace foldline::ladder {
namespace {

std::string time_text(double microseconds) {
  return fmt::format("{:.{}f}", microseconds, microseconds < 100 ? 2 : microseconds < 10000 ? 1 : 0);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

void print_measured(const Report& report, const Line& line, const Ratios& ratio, double roof) {
  const Outcome& o = line.outcome;
  const double done = rate(report, line);
  fmt::print(" {:>10} {:>10} {:>10} {:>10} {:>8.1f} {:>6} {:>8} {:>8} {:>5.0f}% {:>8.3g} {:>4}",
             time_text(o.cold.median), time_text(o.warm.median), time_text(o.total.median),
             time_text(o.input + o.total.median), done,
             roof == 0 ? "-" : fmt::format("{:.1f}%", 100 * done / roof), ratio_text(ratio.before),
             ratio_text(ratio.first),
             o.cold.median == 0 ? 0 : 50 * (o.cold.highest - o.cold.lowest) / o.cold.median,
             o.check.worst_ulp, o.repeatable ? "yes" : "no");
  if (o.kernels == 0)
    fmt::print("{:>37}", "");
  else
    fmt::print(" {:>9} {:>5} {:>4} {:>7} {:>7.0f}%", o.grid, o.block, o.registers, o.shared_bytes,
               100 * o.occupancy);
  fmt::print("  {}\n", verdict_of(line));
}

}  // namespace

void print_times(const Report& report) {
  const double best = roof(report);
  const std::vector<Ratios> ratio = ratios(report);
  fmt::print("\n{}: {}\n", report.problem, report.title);
  fmt::print(
      "{:<40} {:>10} {:>10} {:>10} {:>10} {:>8} {:>6} {:>8} {:>8} {:>6} {:>8} {:>4} {:>9} {:>5} {:>4} {:>7} "
      "{:>8}\n",
      "", "cold us", "warm us", "total us", "with input", names_of(report.unit).head, "roof", "x before",
      "x first", "+-", "ulp", "same", "grid", "block", "regs", "shared", "occupied");
  for (std::size_t i = 0; i < report.lines.size(); ++i) {
    const Line& line = report.lines[i];
    fmt::print("{:<40}", label_of(line));
    if (ran(line))
      print_measured(report, line, ratio[i], best);
    else
      fmt::print(" {}\n", reason_of(line));
  }
  print_own_tables(report);
}

}  // namespace foldline::ladder
