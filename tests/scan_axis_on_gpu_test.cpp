// What the threads of a GPU do in a scan along an axis, one after another on the host, against scans on the
// CPU.
#include <gtest/gtest.h>

#include <memory>

#include "api/scan_checks.hpp"
#include "cuda/scan/axis_scan_walk.hpp"
#include "scan_axis_cases.hpp"

namespace {

using foldline::ElementType;
using foldline::ScanState;
using foldline::cuda::AnyToFloats;
using foldline::cuda::AxisScanTask;
using foldline::cuda::Integers;
using foldline::cuda::PartScan;
using foldline::cuda::PartSums;
using foldline::cuda::RunningSumOf;
using foldline::cuda::SameFloats;
using foldline::cuda::ScanStart;
using foldline::cuda::ScanTile;
using foldline::cuda::VectorPart;
using generators::Random;

constexpr int warp_size = 32;

/// The threads of a warp.
template <class Kind, bool Adds>
struct Warp {
  const AxisScanTask& task;
  const ScanStart& start;
  std::int64_t first;
  std::vector<ScanState> states = std::vector<ScanState>(warp_size);
  std::vector<RunningSumOf<Kind>> sums = std::vector<RunningSumOf<Kind>>(warp_size);
  std::vector<VectorPart> parts = std::vector<VectorPart>(warp_size);

  template <class F>
  void for_each_lane(const F& f) {
    for (int lane = 0; lane < warp_size; ++lane) f(lane, static_cast<std::size_t>(lane));
  }
  bool has_part(int lane) const { return first + lane < task.vectors * task.parts; }

  void run() {
    const PartScan<Kind, Adds> scan{task};
    for_each_lane([&](int lane, std::size_t i) {
      if constexpr (!Kind::has_integer_results) sums[i].state = &states[i];
      if (!has_part(lane)) return;
      parts[i] = part_of_task(task, first + lane);
      scan.begin(sums[i], start, parts[i], first + lane);
      if (!task.along) scan_straight(scan, i, first + lane);
    });
    if (task.along) run_tiles();
    for_each_lane([&](int lane, std::size_t i) {
      if (!has_part(lane)) return;
      if constexpr (Adds)
        sums[i].store(*task.sums, first + lane);
      else if constexpr (Kind::has_integer_results)
        if (sums[i].overflow >= 0)
          *task.status = std::max(*task.status, ~static_cast<unsigned long long>(sums[i].overflow));
    });
  }
  /// First without memory for a long number.
  void scan_straight(const PartScan<Kind, Adds>& scan, std::size_t i, std::int64_t index) {
    std::int64_t done = 0;
    if constexpr (!Kind::has_integer_results) {
      sums[i].state = nullptr;
      if (!sums[i].is_long) done = scan.straight(parts[i], sums[i], 0);
      sums[i].state = &states[i];
      if (done == 0) scan.begin(sums[i], start, parts[i], index);
    }
    if (done < parts[i].length) done = scan.straight(parts[i], sums[i], done);
    ASSERT_EQ(done, parts[i].length);
  }
  void run_tiles() {
    using Tile = ScanTile<Kind, Adds>;
    const auto tile = std::make_unique<Tile>();
    std::vector<typename Tile::Ahead> ahead(warp_size);
    for_each_lane([&](int, std::size_t i) { tile->part[i] = parts[i]; });
    for_each_lane([&](int lane, std::size_t i) { tile->read(task, lane, 0, ahead[i]); });
    for (std::int64_t at = 0; at < task.part; at += Tile::columns) {
      for_each_lane([&](int lane, std::size_t i) { tile->put(task, lane, at, ahead[i]); });
      if (at + Tile::columns < task.part)
        for_each_lane([&](int lane, std::size_t i) { tile->read(task, lane, at + Tile::columns, ahead[i]); });
      for_each_lane([&](int lane, std::size_t i) { tile->scan(task, lane, at, sums[i]); });
      if (!Adds) for_each_lane([&](int lane, std::size_t) { tile->write(task, lane, at); });
    }
  }
};

template <class Kind, bool Adds>
void run_parts(const AxisScanTask& task, const ScanStart& start) {
  for (std::int64_t first = 0; first < task.vectors * task.parts; first += warp_size)
    Warp<Kind, Adds>{task, start, first}.run();
}

template <class Kind>
void run(const AxisScanTask& task, const ScanState& before) {
  const ScanStart start(before);
  if (task.parts > 1) {
    run_parts<Kind, true>(task, ScanStart(ScanState()));
    for (std::int64_t vector = 0; vector < task.vectors; ++vector) {
      ScanState running = before;
      foldline::Uint128 sum = start.integer;
      if constexpr (Kind::has_integer_results)
        for (std::int64_t i = 0; i < task.parts; ++i)
          std::swap(sum, task.sums->integer[i * task.vectors + vector] += sum);
      else
        find_sums_before(*task.sums, task, vector, running);
    }
  }
  run_parts<Kind, false>(task, start);
}

void run(const AxisScanTask& task, const ScanState& before, bool is_aligned) {
  if (!is_floating(task.out_type)) return run<Integers>(task, before);
  if (task.type != task.out_type || !is_aligned) return run<AnyToFloats>(task, before);
  switch (task.type) {
    case ElementType::float64:
      return run<SameFloats<ElementType::float64>>(task, before);
    case ElementType::float32:
      return run<SameFloats<ElementType::float32>>(task, before);
    case ElementType::half:
      return run<SameFloats<ElementType::half>>(task, before);
    default:
      return run<SameFloats<ElementType::bfloat16>>(task, before);
  }
}

bool is_aligned(const void* data, ElementType type) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(type)) == 0;
}

/// Scans as a device of some multiprocessors would, with vectors in parts as it would or in others, but
/// without teams.
bool scan(const foldline::ArrayView& a, const foldline::MutableArrayView& out,
          const axes_cases::AxisScanCall& call, Random& random) {
  if (a.size() == 0) return true;
  AxisScanTask task = foldline::cuda::axis_scan_task(
      foldline::array_scan(a, call.axis, out, call.exclusive, {.overflow = call.overflow}),
      static_cast<int>(random.between(1, 200)));
  task.team_warps = 0;
  if (random.coin() && task.vectors <= foldline::cuda::max_scan_parts) {
    const std::int64_t most = foldline::cuda::max_scan_parts / task.vectors;
    task.part = std::max<std::int64_t>(random.between(1, 70), (task.length - 1) / most + 1);
    task.parts = (task.length - 1) / task.part + 1;
  }
  static const auto sums = std::make_unique<PartSums>();
  unsigned long long status = 0;
  task.sums = sums.get();
  task.status = &status;
  run(task, call.exclusive ? foldline::state_after(call.init) : ScanState(),
      is_aligned(task.x, task.type) && is_aligned(task.out, task.out_type));
  return status == 0;
}

TEST(ScanAxisOnGpu, ThreadsOneAfterAnother) { EXPECT_EQ(axes_cases::check_random_axis_scans(600, scan), ""); }

}  // namespace
