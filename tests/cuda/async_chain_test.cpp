// Calls that nobody waits for, of which each reads what the one before it wrote. Launches may begin before
// what comes before them in their stream has ended; none may read anything until then, nor keep out what it
// waits for.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "lane.hpp"

namespace {

using namespace cuda_test;

template <class T>
std::vector<T> fetched(const DeviceMemory<T>& from, std::size_t size) {
  std::vector<T> values(size);
  check(cudaMemcpy(values.data(), from.data(), size * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

constexpr foldline::Context wrapping{.overflow = foldline::Overflow::wrap};

/// A scan from one vector to the other, the sum of what is there then as its first element; and back again.
template <class T, class Scan, class Sum>
void run_chain(T* x, T* y, int steps, const Scan& scan, const Sum& sum) {
  for (int step = 0; step < steps; ++step) {
    scan(x, y);
    sum(y);
    std::swap(x, y);
  }
}

template <class T>
void expect_chains(const std::vector<T>& start, int steps, Lane& lane) {
  const auto size = static_cast<std::int64_t>(start.size());
  std::vector<T> expected = start, other(start.size());
  run_chain(
      expected.data(), other.data(), steps,
      [&](const T* from, T* to) {
        foldline::inclusive_scan(VectorView(from, size), MutableVectorView(to, size), wrapping);
      },
      [&](T* of) { of[0] = foldline::sum<T>(VectorView(of, size), wrapping); });
  if (steps % 2 != 0) expected = other;

  const DeviceMemory<T> x(size), y(size), copy{std::span(start)};
  const auto chain = [&] {
    check(cudaMemcpyAsync(x.data(), copy.data(), start.size() * sizeof(T), cudaMemcpyDeviceToDevice,
                          lane.stream()));
    run_chain(
        x.data(), y.data(), steps,
        [&](const T* from, T* to) {
          async::inclusive_scan(VectorView(from, size), MutableVectorView(to, size), lane.queue(), wrapping);
        },
        [&](T* of) { async::sum(VectorView(of, size), of, lane.queue(), wrapping); });
  };
  const DeviceMemory<T>& last = steps % 2 != 0 ? y : x;
  for (int round = 0; round < 5; ++round) chain();
  lane.wait();
  ASSERT_EQ(fetched(last, start.size()), expected) << size;

  cudaGraphExec_t graph = captured(lane, chain);
  for (int round = 0; round < 5; ++round) check(cudaGraphLaunch(graph, lane.stream()));
  lane.wait();
  check(cudaGraphExecDestroy(graph));
  ASSERT_EQ(fetched(last, start.size()), expected) << size << " in a graph";
}

TEST_F(CudaAsync, EachCallSeesWhatTheOneBeforeWrote) {
  Lane lane;
  for (const std::int64_t size : {1, 1000, 100'000, 1'000'003, 5'000'001}) {
    const auto x = normal_deviates(size, 70);
    std::vector<std::int64_t> longs;
    std::vector<std::int32_t> ints;
    for (const double value : x) {
      longs.push_back(static_cast<std::int64_t>(value * 1e15));
      ints.push_back(static_cast<std::int32_t>(value * 1e6));
    }
    expect_chains(longs, 7, lane);
    expect_chains(ints, 7, lane);
    expect_chains(x, 4, lane);
    expect_chains(std::vector<float>(x.begin(), x.end()), 2, lane);
  }
}

/// What a chain of calls of every kind does, by functions of one backend. Nothing else comes between the
/// calls.
template <class T, class Calls>
void run_all_kinds(T* x, T* y, T* sums, std::int64_t rows, std::int64_t columns, const Calls& calls) {
  const std::int64_t size = rows * columns;
  for (int step = 0; step < 5; ++step) {
    calls.scan(x, y, size);
    calls.columns(y, sums);
    calls.scan(sums, x, columns);
    calls.rows(x, sums);
    calls.scan(sums, y, rows);
    calls.sum(y, size, sums);
    calls.scan(sums, x + size / 2, rows);
  }
}

template <class T>
struct CallsOnCpu {
  std::int64_t height, width;
  foldline::Context context{.overflow = foldline::Overflow::wrap};
  void scan(const T* from, T* to, std::int64_t n) const {
    foldline::inclusive_scan(VectorView(from, n), MutableVectorView(to, n), context);
  }
  void columns(const T* of, T* to) const {
    foldline::reduce_columns(Operation::sum, foldline::MatrixView(of, height, width),
                             foldline::MutableArrayView(to, {width}), {}, context);
  }
  void rows(const T* of, T* to) const {
    foldline::reduce_rows(Operation::sum, foldline::MatrixView(of, height, width),
                          foldline::MutableArrayView(to, {height}), {}, context);
  }
  void sum(const T* of, std::int64_t n, T* to) const { *to = foldline::sum<T>(VectorView(of, n), context); }
};
template <class T>
struct CallsInLane {
  std::int64_t height, width;
  async::Queue queue;
  foldline::Context context{.overflow = foldline::Overflow::wrap};
  void scan(const T* from, T* to, std::int64_t n) const {
    async::inclusive_scan(VectorView(from, n), MutableVectorView(to, n), queue, context);
  }
  void columns(const T* of, T* to) const {
    async::reduce_columns(Operation::sum, foldline::MatrixView(of, height, width),
                          foldline::MutableArrayView(to, {width}), {}, queue, context);
  }
  void rows(const T* of, T* to) const {
    async::reduce_rows(Operation::sum, foldline::MatrixView(of, height, width),
                       foldline::MutableArrayView(to, {height}), {}, queue, context);
  }
  void sum(const T* of, std::int64_t n, T* to) const { async::sum(VectorView(of, n), to, queue, context); }
};

template <class T>
void expect_all_kinds(std::int64_t rows, std::int64_t columns, Lane& lane) {
  const std::int64_t size = rows * columns;
  const auto deviates = normal_deviates(size, 75);
  std::vector<T> start, sums(static_cast<std::size_t>(rows));
  for (const double value : deviates)
    start.push_back(static_cast<T>(value * (std::is_integral_v<T> ? 1e6 : 1)));
  std::vector<T> expected = start, other(start.size());
  run_all_kinds(expected.data(), other.data(), sums.data(), rows, columns, CallsOnCpu<T>{rows, columns});
  const DeviceMemory<T> x(size), y(size), of_lane(rows), copy{std::span(start)};
  const auto chain = [&] {
    check(cudaMemcpyAsync(x.data(), copy.data(), start.size() * sizeof(T), cudaMemcpyDeviceToDevice,
                          lane.stream()));
    run_all_kinds(x.data(), y.data(), of_lane.data(), rows, columns,
                  CallsInLane<T>{rows, columns, lane.queue(), wrapping});
  };
  for (int round = 0; round < 4; ++round) {
    chain();
    lane.wait();
    ASSERT_EQ(fetched(x, start.size()), expected) << rows << " x " << columns;
  }
  cudaGraphExec_t graph = captured(lane, chain);
  for (int round = 0; round < 4; ++round) {
    check(cudaGraphLaunch(graph, lane.stream()));
    lane.wait();
    ASSERT_EQ(fetched(x, start.size()), expected) << rows << " x " << columns << " in a graph";
  }
  check(cudaGraphExecDestroy(graph));
}

TEST_F(CudaAsync, EachKindOfCallSeesWhatTheOneBeforeWrote) {
  Lane lane;
  for (const auto& [rows, columns] : {std::pair{20'000, 32}, {100'000, 4}, {3001, 100}, {700, 33}}) {
    expect_all_kinds<double>(rows, columns, lane);
    expect_all_kinds<std::int64_t>(rows, columns, lane);
  }
}

// Sums of columns or rows, and the sums of these, after copies in the same stream or another.
TEST_F(CudaAsync, CallsComeAfterOtherWork) {
  constexpr std::int64_t rows = 20'000, columns = 32, size = rows * columns;
  const auto first = normal_deviates(size, 80), second = normal_deviates(size, 81);
  const DeviceMemory<double> a{std::span(first)}, b{std::span(second)}, x(size), sums(rows);
  const auto expected_of = [&](const std::vector<double>& data) {
    const foldline::MatrixView matrix(data.data(), rows, columns);
    return std::array{foldline::sum(foldline::column_sums(matrix)),
                      foldline::sum(foldline::row_sums(matrix))};
  };
  const std::array expected = {expected_of(first), expected_of(second)};
  Lane lane, copier;
  cudaEvent_t copied = nullptr, summed = nullptr;
  check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&summed, cudaEventDisableTiming));
  const foldline::MutableArrayView of_columns(sums.data(), {columns}), of_rows(sums.data(), {rows});
  const auto work = [&] {
    for (int i = 0; i < 16; ++i) {
      const bool elsewhere = i % 4 > 1;
      const cudaStream_t stream = elsewhere ? copier.stream() : lane.stream();
      if (elsewhere) {
        check(cudaEventRecord(summed, lane.stream()));
        check(cudaStreamWaitEvent(stream, summed));
      }
      check(cudaMemsetAsync(x.data(), 0xff, size * sizeof(double), stream));
      check(cudaMemcpyAsync(x.data(), i % 2 == 0 ? a.data() : b.data(), size * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream));
      if (elsewhere) {
        check(cudaEventRecord(copied, stream));
        check(cudaStreamWaitEvent(lane.stream(), copied));
      }
      const foldline::MatrixView matrix(x.data(), rows, columns);
      if (i % 8 < 4) {
        async::reduce_columns(Operation::sum, matrix, of_columns, {}, lane.queue());
        async::sum(VectorView(sums.data(), columns), lane.result(i), lane.queue());
      } else {
        async::reduce_rows(Operation::sum, matrix, of_rows, {}, lane.queue());
        async::sum(VectorView(sums.data(), rows), lane.result(i), lane.queue());
      }
    }
  };
  const auto expect_results = [&](const char* where) {
    for (int i = 0; i < 16; ++i) ASSERT_EQ(lane.fetch(i), expected[i % 2][i % 8 < 4 ? 0 : 1]) << i << where;
    set_bytes(lane.result(), 0, 16 * sizeof(double));
  };
  for (int round = 0; round < 20; ++round) {
    work();
    expect_results(" in a stream");
  }
  cudaGraphExec_t graph = captured(lane, work);
  for (int round = 0; round < 20; ++round) {
    check(cudaGraphLaunch(graph, lane.stream()));
    expect_results(" in a graph");
  }
  check(cudaGraphExecDestroy(graph));
  check(cudaEventDestroy(copied));
  check(cudaEventDestroy(summed));
}

// All blocks of a scan wait for others of theirs, and one of a small reduction. Those of another stream must
// not take the places that these need.
TEST_F(CudaAsync, CallsThatWaitInSeveralStreamsAtOnce) {
  constexpr std::int64_t most = 3'000'000;
  constexpr std::int64_t sizes[] = {most, 1 << 20, 200'000, 5000};
  std::array<Lane, 6> lanes;
  const auto x = normal_deviates(most, 90);
  std::vector<std::int64_t> longs;
  for (const double value : x) longs.push_back(static_cast<std::int64_t>(value * 1e12));
  const DeviceMemory<std::int64_t> there{std::span(longs)};
  const DeviceMemory<double> doubles{std::span(x)};
  std::vector<std::int64_t> expected(most);
  foldline::inclusive_scan(longs, expected);
  std::vector<double> expected_doubles(most);
  foldline::inclusive_scan(x, expected_doubles);
  constexpr std::int64_t columns_of = 160'000;
  const auto of_columns = foldline::column_sums(foldline::MatrixView(x.data(), columns_of, 8));
  std::vector<std::unique_ptr<DeviceMemory<std::int64_t>>> out;
  std::vector<std::unique_ptr<DeviceMemory<double>>> out_doubles;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    out.push_back(std::make_unique<DeviceMemory<std::int64_t>>(most));
    out_doubles.push_back(std::make_unique<DeviceMemory<double>>(most));
  }
  for (int round = 0; round < 100; ++round)
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const std::int64_t size = sizes[(static_cast<std::size_t>(round) + i) % 4];
      async::inclusive_scan(VectorView(there.data(), size), MutableVectorView(out[i]->data(), size),
                            lanes[i].queue());
      async::inclusive_scan(VectorView(doubles.data(), size), MutableVectorView(out_doubles[i]->data(), size),
                            lanes[i].queue());
      async::sum(VectorView(out_doubles[i]->data(), size), lanes[i].result(), lanes[i].queue());
      async::reduce_columns(Operation::sum, foldline::MatrixView(doubles.data(), columns_of, 8),
                            foldline::MutableArrayView(lanes[i].result(1), {8}), {}, lanes[i].queue());
    }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    ASSERT_EQ(lanes[i].take_status(), 0);
    ASSERT_EQ(fetched(*out[i], most), expected) << i;
    ASSERT_EQ(fetched(*out_doubles[i], most), expected_doubles) << i;
    const std::int64_t last = sizes[(99 + i) % 4];
    ASSERT_EQ(lanes[i].fetch(0), foldline::sum(VectorView(expected_doubles.data(), last))) << i;
    for (int c = 0; c < 8; ++c)
      ASSERT_EQ(lanes[i].fetch(1 + c), of_columns[static_cast<std::size_t>(c)]) << i;
  }
}

}  // namespace
