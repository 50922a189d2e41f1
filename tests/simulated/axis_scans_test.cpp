// The library's kernels of scans along an axis, run by the simulator: every plan for random arrays, bit for
// bit against the oracle. Races, reads of what nobody has written, and accesses out of bounds are found, too.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <optional>
#include <simt/simt.hpp>
#include <vector>

#include "api/scan_checks.hpp"
#include "cuda/runtime/array_copy.hpp"
#include "cuda/scan/axis_scan_launch.hpp"
#include "scan_axis_cases.hpp"

namespace {

using foldline::ArrayScan;

using foldline::ResultAxis;
using foldline::ScanState;
using foldline::VectorView;
using foldline::cuda::ArraySpan;
using foldline::cuda::AxisScanTask;
using foldline::cuda::PartSums;
using foldline::cuda::ScanStart;
using generators::Random;

/// Memory of the simulated device.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) {
    if (cudaMalloc(&data_, size) != cudaSuccess) throw std::bad_alloc();
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(data_); }
  template <class T = std::byte>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

/// A copy of an array, as far from a multiple of 16 bytes.
class Copy {
 public:
  Copy(std::byte* first, const ArraySpan& span)
      : from_(first + span.first),
        bytes_(static_cast<std::size_t>(span.bytes())),
        memory_(bytes_ + 16),
        to_(memory_.as() + reinterpret_cast<std::uintptr_t>(from_) % 16),
        first_(to_ - span.first) {
    cudaMemcpy(to_, from_, bytes_, cudaMemcpyHostToDevice);
  }
  std::byte* first() const { return first_; }
  void fetch() const { cudaMemcpy(from_, to_, bytes_, cudaMemcpyDeviceToHost); }

 private:
  std::byte* from_;
  std::size_t bytes_;
  DeviceBytes memory_;
  std::byte *to_, *first_;
};

ArraySpan span_of(const VectorView& vector, const std::vector<ResultAxis>& axes,
                  std::int64_t ResultAxis::* stride) {
  const std::int64_t width = size_of(vector.type());
  ArraySpan span(width);
  span.extend(vector.size(), vector.stride() * width);
  for (const ResultAxis& axis : axes) span.extend(axis.extent, axis.*stride * width);
  return span;
}

/// As planned for a device of some multiprocessors, or in any other way.
AxisScanTask random_task(const ArrayScan& scan, Random& random) {
  AxisScanTask task = foldline::cuda::axis_scan_task(scan, static_cast<int>(random.between(1, 8)));
  constexpr std::int64_t many = 200;  // blocks are slow here
  if (random.one_in(3) || task.vectors > many) return task;
  task.team_warps = random.one_in(4) ? 0 : random.coin() ? 1 : foldline::cuda::max_team_warps;
  if (random.one_in(4)) task.along = !task.along;
  task.part = task.length;
  task.parts = 1;
  if (random.coin() || task.vectors > foldline::cuda::max_scan_parts) return task;
  const std::int64_t most = std::min<std::int64_t>(foldline::cuda::max_scan_parts / task.vectors, 5);
  task.part = std::max<std::int64_t>(random.log_uniform(task.length), (task.length - 1) / most + 1);
  task.parts = (task.length - 1) / task.part + 1;
  return task;
}

bool scan(const foldline::ArrayView& a, const foldline::MutableArrayView& out,
          const axes_cases::AxisScanCall& call, Random& random) {
  if (a.size() == 0) return true;
  const ArrayScan there =
      foldline::array_scan(a, call.axis, out, call.exclusive, {.overflow = call.overflow});
  AxisScanTask task = random_task(there, random);
  const bool in_place = there.x.at(0) == there.out.at(0);
  const Copy results(there.out.at(0), span_of(there.out, there.axes, &ResultAxis::out_stride));
  std::optional<Copy> elements;
  if (!in_place)
    elements.emplace(const_cast<std::byte*>(there.x.at(0)),
                     span_of(there.x, there.axes, &ResultAxis::stride));
  task.out = results.first();
  task.x = in_place ? task.out : elements->first();
  const DeviceBytes status(8), sums(sizeof(PartSums));
  cudaMemset(status.as(), 0, 8);
  task.sums = sums.as<PartSums>();
  task.status = status.as<unsigned long long>();
  const ScanStart start(call.exclusive ? foldline::state_after(call.init) : ScanState());
  if (!is_floating(task.out_type))
    launch_axis_scan_of_integers(task, start, nullptr);
  else if (task.type == task.out_type && task.is_aligned)
    launch_axis_scan_of_floats(task, start, nullptr);
  else
    launch_axis_scan_of_any(task, start, nullptr);
  results.fetch();
  unsigned long long misfit = 0;
  cudaMemcpy(&misfit, task.status, sizeof misfit, cudaMemcpyDeviceToHost);
  return misfit == 0;
}

TEST(AxisScans, RandomArrays) { EXPECT_EQ(axes_cases::check_random_axis_scans(100, scan), ""); }

/// Every sum from the first element on is held by what a lane counts in, but not that of lanes 2 and 3.
template <class T>
void check_cancelling_row(T small) {
  std::vector<T> x(300, 0), expected(x.size());
  x[0] = -1;
  x[16] = 1;
  x[17] = small;
  x[24] = small * small;
  x[40] = -small;
  const foldline::ArrayView a(x.data(), {1, 300});
  foldline::inclusive_scan_axis(a, 1, foldline::MutableArrayView(expected.data(), {1, 300}));
  EXPECT_EQ(expected.back(), small * small);
  const axes_cases::AxisScanCall call{1, false, foldline::Scalar(0.0), {}};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    std::vector<T> results(x.size());
    scan(a, foldline::MutableArrayView(results.data(), {1, 300}), call, random);
    EXPECT_EQ(results, expected) << "seed " << seed;
  }
}

TEST(AxisScans, OrdersThatLoseDigits) {
  check_cancelling_row(0x1p-60);
  check_cancelling_row(0x1p-40f);
}

/// Beyond what 128 bits hold, where no type of integers has results.
TEST(AxisScans, SumsThatBeginFarBeyondIntegers) {
  std::vector<std::int64_t> x(2 * 300, 1), results(x.size());
  const foldline::ArrayView a(x.data(), {2, 300});
  const foldline::MutableArrayView out(results.data(), {2, 300});
  for (const double init : {0x1p126, 0x1p127, 0x1p128, -0x1p128, 0x1p1000})
    for (const std::size_t axis : {0, 1}) {
      Random random(1);
      const foldline::Scalar from(init);
      EXPECT_FALSE(scan(a, out, {axis, true, from, foldline::Overflow::error}, random)) << init;
      EXPECT_TRUE(scan(a, out, {axis, true, from, foldline::Overflow::wrap}, random)) << init;
      EXPECT_EQ(results.front(), 0);
      EXPECT_EQ(results.back(), axis == 0 ? 1 : 299);
    }
}

}  // namespace
