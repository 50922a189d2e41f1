#include "cuda/scan/axis_scan_task.hpp"

#include <algorithm>
#include <cstdlib>

#include "results/rounded_results.hpp"

namespace foldline::cuda {

namespace {

/// Threads of a multiprocessor that keep memory busy, and as many as it takes to make vectors worth cutting:
/// an array that is cut is read twice.
constexpr std::int64_t threads_wanted = 128, threads_enough = 64;
/// No shorter parts: each has a sum that others read.
constexpr std::int64_t shortest_part = 256;

/// Shorter vectors would leave most of a team idle.
constexpr std::int64_t shortest_for_team = 128;
/// Warps of teams to a multiprocessor: as many as fit at a time; as many as keep memory busy enough that
/// larger teams, or parts, would cost more than they bring.
constexpr std::int64_t team_warps_wanted = 48, team_warps_enough = 16;
/// No shorter parts of teams.
constexpr std::int64_t shortest_of_team = 4096;

std::int64_t parts_of(std::int64_t vectors, std::int64_t length, int multiprocessors) {
  if (vectors >= threads_enough * multiprocessors || vectors > max_scan_parts / 2) return 1;
  const std::int64_t wanted = std::min(threads_wanted * multiprocessors, max_scan_parts);
  return std::clamp<std::int64_t>(length / shortest_part, 1, wanted / vectors);
}

/// Chooses teams, and how many parts of each vector they scan.
void plan_teams(AxisScanTask& task, int multiprocessors) {
  const std::int64_t enough = team_warps_enough * multiprocessors;
  task.parts = 1;
  task.team_warps = task.vectors >= enough || task.length <= 2 * team_tile ? 1 : max_team_warps;
  if (task.vectors * task.team_warps >= enough || task.vectors > max_scan_parts / 2) return;
  const std::int64_t wanted = std::min(team_warps_wanted / task.team_warps * multiprocessors, max_scan_parts);
  task.parts = std::clamp<std::int64_t>(task.length / shortest_of_team, 1,
                                        std::max<std::int64_t>(wanted / task.vectors, 1));
}

bool is_aligned(const void* data, ElementType type) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(type)) == 0;
}

bool is_distance_along(const AxisScanTask& task) {
  if (task.axis_count == 0) return true;
  const ResultAxis& nearest = task.axes[task.axis_count - 1];
  return std::abs(task.stride) + std::abs(task.out_stride) <
         std::abs(nearest.stride) + std::abs(nearest.out_stride);
}

}  // namespace

ScanStart::ScanStart(const ScanState& before) : state(before), integer(before.integer()) {
  ScanState rest;
  is_long = !is_two_doubles(before, sum, rest);
}

AxisScanTask axis_scan_task(const ArrayScan& scan, int multiprocessors) {
  AxisScanTask task = {};
  const ElementType type = scan.x.type(), out_type = scan.out.type();
  task.x = scan.x.at(0);
  task.out = scan.out.at(0);
  task.length = scan.x.size();
  task.stride = scan.x.stride() * size_of(type);
  task.out_stride = scan.out.stride() * size_of(out_type);
  task.vectors = scan.vectors;
  task.axis_count = static_cast<int>(scan.axes.size());
  for (std::size_t i = 0; i < scan.axes.size(); ++i) {
    const ResultAxis& axis = scan.axes[i];
    task.axes[i] = {axis.extent, axis.stride * size_of(type), axis.out_stride * size_of(out_type)};
  }
  task.type = type;
  task.out_type = out_type;
  task.element_bytes = static_cast<int>(size_of(type));
  task.out_bytes = static_cast<int>(size_of(out_type));
  task.has_float_elements = is_floating(type);
  task.has_sign = is_signed(type);
  task.exclusive = scan.exclusive;
  task.along = is_distance_along(task);
  task.is_aligned = is_aligned(task.x, type) && is_aligned(task.out, out_type);
  if (is_floating(out_type)) {
    task.format = format_of(out_type);
  } else {
    const int bits = out_type == ElementType::boolean ? 1 : 8 * task.out_bytes;
    task.checked = scan.overflow == Overflow::error;
    task.lowest = is_signed(out_type) ? -(Int128{1} << (bits - 1)) : 0;
    task.highest = (Int128{1} << (is_signed(out_type) ? bits - 1 : bits)) - 1;
    task.mask = bits == 1 ? 1 : ~std::uint64_t{0};
    const Int128 reach = Int128{max_team_warps * team_tile} << 8 * task.element_bytes;
    constexpr Int128 last = static_cast<Int128>(~Uint128{0} >> 1);
    task.safe_lowest = task.checked ? task.lowest + reach : -last - 1;
    task.safe_highest = task.checked ? task.highest - reach : last;
  }
  task.part = task.length;
  if (task.along && task.length >= shortest_for_team)
    plan_teams(task, multiprocessors);
  else
    task.parts = parts_of(task.vectors, task.length, multiprocessors);
  if (task.parts == 1) return task;
  // Whole tiles; of threads batches and lines of a cache, so that neighbouring parts share none.
  const std::int64_t whole = task.team_warps > 0 ? max_team_warps * team_tile : 64;
  task.part = ((task.length - 1) / task.parts / whole + 1) * whole;
  task.parts = (task.length - 1) / task.part + 1;
  return task;
}

}  // namespace foldline::cuda
