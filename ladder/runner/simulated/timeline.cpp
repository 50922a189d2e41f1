#include "runner/simulated/timeline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace foldline::ladder {
namespace {

constexpr std::size_t most_warps = 4, most_ranges = 6;

bool in_colours(std::FILE* to) {
  const char* const none = std::getenv("NO_COLOR");
  return ::isatty(::fileno(to)) != 0 && (none == nullptr || *none == '\0');
}

char mark_of(const simt::Step& step, std::uint32_t lane) {
  if ((step.active >> lane & 1) != 0) return step.kind == simt::Step::Kind::barrier ? 'b' : '#';
  return (step.ended >> lane & 1) != 0 ? ' ' : '.';
}

/// Green for what is active, yellow for what waits at a barrier, dim for what is masked.
const char* colour_of(char mark) {
  return mark == '#' ? "\033[32m" : mark == 'b' ? "\033[33m" : mark == '.' ? "\033[2m" : "";
}

std::string lanes_of(const simt::Step& step, bool colours) {
  std::string text;
  char before = ' ';
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const char mark = mark_of(step, lane);
    if (colours && mark != before) text.append("\033[0m").append(colour_of(mark));
    text += mark;
    before = mark;
  }
  return colours ? text + "\033[0m" : text;
}

/// "0-3 8 12-15"
std::string ranges_of(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (++ranges > most_ranges) return text + " ...";
    if (!text.empty()) text += ' ';
    text += end > i ? fmt::format("{}-{}", numbers[i], numbers[end]) : std::to_string(numbers[i]);
    i = end + 1;
  }
  return text;
}

/// A digit for each bank: how many different words of it are asked for.
std::string banks_of(const simt::Step& step) {
  std::string text;
  for (const std::uint8_t words : step.banks)
    text += words == 0 ? '.' : words < 10 ? static_cast<char>('0' + words) : '+';
  return text;
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string text_of(const simt::Step& step) {
  using Kind = simt::Step::Kind;
  switch (step.kind) {
    case Kind::code:
      return counted(step.instructions, "instruction");
    case Kind::global:
      return fmt::format("{}: {}, {}", step.what, counted(step.parts, "sector"), ranges_of(step.sectors));
    case Kind::shared:
      return fmt::format("{}: {}, banks {}", step.what, counted(step.parts, "turn"), banks_of(step));
    case Kind::other_memory:
      return fmt::format("{}: {}", step.what, counted(step.parts, "turn"));
    case Kind::barrier:
      return step.waits == 0
                 ? "barrier, the last warp"
                 : fmt::format("barrier, waits for {} of another warp", counted(step.waits, "instruction"));
    case Kind::warp_function:
    case Kind::fence:
      break;
  }
  return step.what;
}

std::string place_of(const simt::Step& step) {
  if (step.file.empty()) return "";
  return fmt::format("{}:{}", step.file.substr(step.file.rfind('/') + 1), step.line);
}

void print_warp(std::FILE* to, const simt::WarpTimeline& warp, bool colours) {
  std::size_t width = 0;
  for (const simt::Step& step : warp.steps) width = std::max(width, place_of(step).size());
  fmt::print(to, "\nwarp {}\n{:>8}  0       8       16      24       line\n", warp.warp, "time");
  for (const simt::Step& step : warp.steps)
    fmt::print(to, "{:>8}  {} {:<{}}  {}\n", step.time, lanes_of(step, colours), place_of(step), width,
               text_of(step));
  if (warp.left_out != 0)
    fmt::print(to, "          ... and {} (--trace-steps)\n", counted(warp.left_out, "more step"));
}

}  // namespace

void print_timelines(std::FILE* to, const simt::LaunchReport& launch) {
  const std::size_t warps = std::min(launch.timelines.size(), most_warps);
  fmt::print(
      to,
      "\n{}, block 0, {} of {}, step by step; time in instructions, estimated\n"
      "# active   . masked: other lanes of the warp have another way   b at a barrier   blank: ended\n",
      launch.kernel, warps, counted(launch.timelines.size(), "warp"));
  const bool colours = in_colours(to);
  for (std::size_t i = 0; i < warps; ++i) print_warp(to, launch.timelines[i], colours);
}

}  // namespace foldline::ladder
