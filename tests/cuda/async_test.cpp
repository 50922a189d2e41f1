// Asynchronous reductions give the bits of the CPU.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "lane.hpp"

namespace {

using namespace cuda_test;

TEST_F(CudaAsync, EveryOperationTypeAndLayout) {
  Lane lane;
  std::mt19937_64 random(1);
  for (const ElementType type : oracle::all_types)
    for (const std::int64_t size : {0, 1, 31, 700, 20'011})
      for (const std::int64_t stride : {1, -2})
        for (const std::int64_t misalignment : {0, 3}) {
          std::vector<double> x(static_cast<std::size_t>(size)), y(x);
          for (auto* const values : {&x, &y})
            for (double& value : *values) value = static_cast<double>(static_cast<int>(random() % 255)) - 127;
          const cases::Layout a(x, type, stride, misalignment), b(y, type, stride, misalignment);
          ASSERT_EQ(all_results(a.view(Device::cuda()), b.view(Device::cuda()), lane),
                    all_results(a.view(), b.view()))
              << name_of(type) << " size " << size << " stride " << stride << " misaligned by "
              << misalignment;
        }
}

TEST_F(CudaAsync, AnyBits) {
  Lane lane;
  std::mt19937_64 random(2);
  for (int round = 0; round < 40; ++round) {
    const std::int64_t size = static_cast<std::int64_t>(random() % 5000) + 1;
    std::vector<double> x(static_cast<std::size_t>(size)), y(x);
    for (auto* const values : {&x, &y})
      for (double& value : *values) {
        value = std::bit_cast<double>(random());
        if (round % 4 != 0 && !(std::abs(value) <= 1e308)) value = 0;
      }
    const DeviceMemory<double> a{std::span(x)}, b{std::span(y)};
    ASSERT_EQ(all_results(VectorView(a.data(), size), VectorView(b.data(), size), lane), all_results(x, y))
        << round;
  }
}

TEST_F(CudaAsync, ResultsOfOtherTypes) {
  Lane lane;
  const std::vector<double> x = {0.1, 0.2, 0.3, 1e300};
  const DeviceMemory<double> there{std::span(x)};
  const VectorView view(there.data(), 3), all(there.data(), 4);
  async::sum(view, lane.result<float>(), lane.queue());
  EXPECT_EQ(lane.fetch<float>(), foldline::sum<float>(VectorView(x.data(), 3)));
  async::mean(view, lane.result<foldline::half>(), lane.queue());
  EXPECT_EQ(lane.fetch<foldline::half>().bits, foldline::mean<foldline::half>(VectorView(x.data(), 3)).bits);
  async::sum(all, lane.result<float>(), lane.queue());
  EXPECT_EQ(lane.fetch<float>(), std::numeric_limits<float>::infinity());
  auto* const odd = reinterpret_cast<std::byte*>(lane.result()) + 1;
  async::reduce(Operation::sum, view, MutableVectorView(odd, ElementType::float64, 1), {}, lane.queue());
  lane.wait();
  double sum = 0;
  check(cudaMemcpy(&sum, odd, sizeof sum, cudaMemcpyDeviceToHost));
  EXPECT_EQ(sum, foldline::sum(VectorView(x.data(), 3))) << "a result that is not aligned";
}

// What no window holds comes to limbs, which a warp rounds: with carries and borrows from one end to the
// other.
template <class T>
void compare_results_of_limbs(Lane& lane) {
  using Limits = std::numeric_limits<T>;
  const T tiny = Limits::denorm_min(), small = Limits::min(), large = Limits::max() / 4, one = 1;
  const std::vector<std::vector<T>> special = {
      {large, tiny},
      {large, -tiny},
      {-large, tiny},
      {-large, -tiny},
      {large, -large, tiny},
      {large, -large, -tiny},
      {tiny, -large, large, -small, one},
      {one, -tiny, small, -one},
      {large, one, -large, -tiny},
      {large, -large, tiny, -tiny},
      {std::sqrt(large), -std::sqrt(small), one},
  };
  const auto compare = [&](const std::vector<T>& x, const std::vector<T>& y, int what) {
    const DeviceMemory<T> a{std::span(x)}, b{std::span(y)};
    ASSERT_EQ(all_results(VectorView(a.data(), std::ssize(x)), VectorView(b.data(), std::ssize(y)), lane),
              all_results(x, y))
        << name_of(foldline::element_type_of<T>) << ' ' << what;
  };
  for (std::size_t i = 0; i < special.size(); ++i)
    for (const auto& y : {special[i], std::vector<T>(special[i].size(), tiny)})
      compare(special[i], y, static_cast<int>(i));
  // Most elements are alike, some far from these, so that pieces and limbs meet.
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 120; ++round) {
    const std::size_t size = round % 8 == 0 ? 400'000 + random() % 1000 : 1 + random() % 9000;
    const int away = 1 + static_cast<int>(random() % 60), center = static_cast<int>(random() % 61) - 30;
    std::vector<T> x(size), y(size);
    for (auto* const values : {&x, &y})
      for (T& value : *values) {
        const int exponent = center + (random() % 1000 < 3 ? static_cast<int>(random() % 61) - away : 0);
        value = static_cast<T>(std::ldexp(normal(random), exponent));
      }
    if (round % 3 == 0)  // nearly nothing is left
      for (std::size_t i = 1; i < size; i += 2) x[i] = -x[i - 1], y[i] = y[i - 1];
    compare(x, y, 1000 + round);
  }
}
TEST_F(CudaAsync, ResultsOfLimbs) {
  Lane lane;
  compare_results_of_limbs<double>(lane);
  compare_results_of_limbs<float>(lane);
}

template <class T>
void compare_integers(Lane& lane) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {1u, 2u, 15u, 383u, 1537u, 24'577u, 3'000'001u}) {
    std::vector<T> x(size + 1), y(x);
    for (auto* const values : {&x, &y})
      for (T& value : *values)
        value = size % 4 == 3 ? std::numeric_limits<T>::min() : static_cast<T>(random());
    const DeviceMemory<T> a{std::span(x)}, b{std::span(y)};
    const auto n = static_cast<std::int64_t>(size);
    for (const std::int64_t first : {0, 1}) {
      const VectorView from(a.data() + first, n), other(b.data() + first, n);
      const VectorView here(x.data() + first, n), there(y.data() + first, n);
      ASSERT_EQ(all_results(from, other, lane), all_results(here, there))
          << name_of(from.type()) << ' ' << size << ' ' << first;
      const async::Queue queue = lane.queue();
      const Context wrap{.overflow = foldline::Overflow::wrap};
      async::sum(from, lane.result<std::int64_t>(0), queue, wrap);
      async::vector_abs_sum(from, lane.result<std::uint64_t>(1), queue, wrap);
      async::dot(from, other, lane.result<std::int32_t>(2), queue, wrap);
      ASSERT_EQ(lane.fetch<std::int64_t>(0), foldline::sum<std::int64_t>(here, wrap));
      ASSERT_EQ(lane.fetch<std::uint64_t>(1), foldline::vector_abs_sum<std::uint64_t>(here, wrap));
      ASSERT_EQ(lane.fetch<std::int32_t>(2), (foldline::dot<std::int32_t>(here, there, wrap)));
      ASSERT_EQ(foldline::sum<std::int64_t>(
                    from, {.overflow = wrap.overflow, .execution = {.device = Device::cuda()}}),
                foldline::sum<std::int64_t>(here, wrap));
    }
  }
}
TEST_F(CudaAsync, IntegersOfAnySize) {
  Lane lane;
  compare_integers<std::int8_t>(lane);
  compare_integers<std::uint8_t>(lane);
  compare_integers<std::int16_t>(lane);
  compare_integers<std::uint16_t>(lane);
  compare_integers<std::int32_t>(lane);
  compare_integers<std::uint32_t>(lane);
  compare_integers<std::int64_t>(lane);
  compare_integers<std::uint64_t>(lane);
}

TEST_F(CudaAsync, IntegersThatDoNotFit) {
  Lane lane;
  const std::vector<std::int64_t> x = {INT64_MAX, 1, 5};
  const DeviceMemory<std::int64_t> there{std::span(x)};
  auto* const result = lane.result<std::int64_t>();
  async::sum(VectorView(there.data() + 1, 2), result, lane.queue());
  EXPECT_EQ(lane.fetch<std::int64_t>(), 6);
  EXPECT_EQ(lane.take_status(), 0);
  async::sum(VectorView(there.data(), 2), result, lane.queue());
  EXPECT_EQ(lane.fetch<std::int64_t>(), 6) << "as it was";
  EXPECT_LT(lane.take_status(), 0);
  async::Queue no_status = lane.queue();
  no_status.status = nullptr;
  async::sum(VectorView(there.data(), 2), result, no_status, {.overflow = foldline::Overflow::wrap});
  EXPECT_EQ(lane.fetch<std::int64_t>(), INT64_MIN);
  const std::vector<double> halves = {0.5, 0.25};
  const DeviceMemory<double> floating{std::span(halves)};
  async::max(VectorView(floating.data(), 2), lane.result<std::int32_t>(), lane.queue());
  EXPECT_LT(lane.take_status(), 0) << "no whole number";
  async::range(VectorView(floating.data(), 2), lane.result<std::int32_t>(), lane.queue());
  EXPECT_LT(lane.take_status(), 0) << "no whole number";
  async::range(VectorView(there.data(), 3), lane.result<std::uint64_t>(), lane.queue());
  EXPECT_EQ(lane.take_status(), 0);

  const std::vector<std::int8_t> matrix = {100, 1, 100, 2};
  const DeviceMemory<std::int8_t> columns{std::span(matrix)};
  async::reduce_columns(Operation::sum, foldline::MatrixView(columns.data(), 2, 2),
                        foldline::MutableArrayView(lane.result<std::int8_t>(), {2}), {}, lane.queue());
  EXPECT_EQ((lane.fetch<std::array<std::int8_t, 2>>()[1]), 3);
  EXPECT_LT(lane.take_status(), 0);
}

TEST_F(CudaAsync, AlongAnAxis) {
  Lane lane;
  constexpr std::int64_t rows = 311, columns = 77;
  const auto values = normal_deviates(rows * columns, 3);
  const DeviceMemory<double> there{std::span(values)}, out(rows);
  for (const Operation operation : oracle::all_operations) {
    if (operation == Operation::dot || operation == Operation::weighted_mean) continue;
    for (const std::int64_t axis : {0, 1}) {
      std::vector<double> expected(static_cast<std::size_t>(axis == 0 ? columns : rows)), results(expected);
      foldline::reduce_axis(operation, foldline::MatrixView(values.data(), rows, columns).array(), axis,
                            expected, {.ddof = 1});
      async::reduce_axis(operation, foldline::MatrixView(there.data(), rows, columns).array(), axis,
                         foldline::MutableArrayView(out.data(), {std::ssize(results)}), {.ddof = 1},
                         lane.queue());
      lane.wait();
      check(cudaMemcpy(results.data(), out.data(), results.size() * sizeof(double), cudaMemcpyDeviceToHost));
      ASSERT_EQ(results, expected) << name_of(operation) << " along axis " << axis;
    }
  }
}

// More elements than one launch takes.
TEST_F(CudaAsync, SeveralLaunches) {
  constexpr std::int64_t size = (std::int64_t{1} << 31) + 12'345;
  const DeviceMemory<std::uint8_t> x(size);
  set_bytes(x.data(), 0x35, static_cast<std::size_t>(size));
  set_bytes(x.data() + size - 1, 0x36, 1);
  set_bytes(x.data(), 0x01, 1);
  Lane lane;
  const VectorView bytes(x.data(), size), floats(x.data(), ElementType::half, size / 2);
  const Context waiting{.execution = {.device = Device::cuda()}};
  async::sum(bytes, lane.result<std::uint64_t>(), lane.queue());
  async::variance(bytes, lane.result<double>(1), {.ddof = 1}, lane.queue());
  async::min(bytes, lane.result<double>(2), lane.queue());
  async::max(bytes, lane.result<double>(3), lane.queue());
  async::dot(floats, floats, lane.result<double>(4), lane.queue());
  async::range(bytes, lane.result<std::int64_t>(5), lane.queue());
  EXPECT_EQ(lane.fetch<std::uint64_t>(), 0x35u * static_cast<std::uint64_t>(size) - 0x34 + 1);
  EXPECT_EQ(lane.fetch(1), foldline::variance<double>(bytes, {.ddof = 1}, waiting));
  EXPECT_EQ(lane.fetch(2), 1);
  EXPECT_EQ(lane.fetch(3), 0x36);
  EXPECT_EQ(lane.fetch<std::int64_t>(5), 0x35);
  EXPECT_EQ(lane.fetch(4), (foldline::dot<double>(floats, floats, waiting)));
}

TEST_F(CudaAsync, Refusals) {
  Lane lane;
  std::vector<double> x(10, 1.0);
  const DeviceMemory<double> there{std::span(x)};
  const VectorView view(there.data(), 10);
  using foldline::InvalidArgument;
  EXPECT_THROW(async::sum(view, lane.result(), async::Queue{}), InvalidArgument) << "no workspace";
  const Context elsewhere{.execution = {.device = Device::cuda()}};
  EXPECT_THROW(async::sum(view, lane.result(), lane.queue(), elsewhere), InvalidArgument) << "two places";
  EXPECT_THROW(async::sum(x, lane.result(), lane.queue()), InvalidArgument) << "memory of the host";
  EXPECT_THROW(async::sum(view, x.data(), lane.queue()), InvalidArgument) << "memory of the host";
  EXPECT_THROW(async::sum(view, static_cast<double*>(nullptr), lane.queue()), InvalidArgument);
  async::Queue no_status = lane.queue();
  no_status.status = nullptr;
  EXPECT_THROW(async::sum(view, lane.result<std::int64_t>(), no_status), InvalidArgument) << "may not fit";
  EXPECT_THROW(async::min(VectorView(there.data(), 0), lane.result(), lane.queue()), InvalidArgument);
  EXPECT_THROW(DeviceWorkspace(Device{}), InvalidArgument);
  EXPECT_THROW(DeviceWorkspace(Device::cuda(999)), InvalidArgument);
  async::sum(view, lane.result(), lane.queue());
  EXPECT_EQ(lane.fetch(), 10) << "the next call works";
}

}  // namespace
