// Calls that nobody waits for in graphs, in several streams and from several threads.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "allocations.hpp"
#include "lane.hpp"

namespace {

using namespace cuda_test;

// Blocks tell launches apart by 18 bits of their number: what one left must not be taken for what the 2^18th
// after it leaves.
TEST_F(CudaAsync, MoreLaunchesThanTagsTellApart) {
  constexpr std::int64_t size = 3'000'000;
  constexpr int period = (1 << 18) - 1, of_graph = 513, graphs = period / of_graph;
  static_assert(of_graph * graphs == period);
  const auto first = normal_deviates(size, 60), second = normal_deviates(size, 61);
  const double expected = foldline::sum(first), other = foldline::sum(second);
  const DeviceMemory<double> x{std::span(first)}, y{std::span(second)};
  Lane lane;
  const auto queue_sum = [&](const double* data, std::int64_t n) {
    put(Operation::sum, VectorView(data, n), {}, MutableVectorView(lane.result(), 1), lane.queue());
  };
  queue_sum(x.data(), size);
  EXPECT_EQ(lane.fetch(), expected);
  cudaGraphExec_t short_sums = captured(lane, [&] {
    for (int i = 0; i < of_graph; ++i) queue_sum(x.data(), 1);
  });
  for (int i = 0; i < graphs - 1; ++i) check(cudaGraphLaunch(short_sums, lane.stream()));
  check(cudaGraphExecDestroy(short_sums));
  for (int i = 0; i < of_graph - 3; ++i) queue_sum(x.data(), 1);
  for (int i = 0; i < 6; ++i) {
    queue_sum(i < 5 ? y.data() : x.data(), size);
    ASSERT_EQ(lane.fetch(), i < 5 ? other : expected) << i;
  }
}

TEST_F(CudaAsync, GraphsAndAHundredReplays) {
  constexpr std::int64_t rows = 400, columns = 500, size = rows * columns;
  const auto first = normal_deviates(size, 4), second = normal_deviates(size, 5);
  const DeviceMemory<double> x{std::span(first)}, y{std::span(second)}, out(columns), scanned(size);
  auto wide = second;  // at the end, so that the scan's last launch has something to do
  wide[size - 10'000] = 1e300;
  const VectorView a(x.data(), size), b(y.data(), size);
  const auto matrix = foldline::MatrixView(x.data(), rows, columns);
  const foldline::MutableArrayView sums(out.data(), {columns});
  Lane lane;
  const auto work = [&] {
    for (std::size_t i = 0; i < oracle::all_operations.size(); ++i)
      put(oracle::all_operations[i], a, b, MutableVectorView(lane.result(static_cast<int>(i)), 1),
          lane.queue());
    async::reduce_columns(Operation::sum, matrix, sums, {}, lane.queue());
    async::inclusive_scan(a, MutableVectorView(scanned.data(), size), lane.queue());
  };
  work();  // loads the kernels
  cudaGraphExec_t graph = captured(lane, work);
  const std::int64_t before = cuda_test::allocations().made;
  for (int replay = 0; replay < 100; ++replay) {
    const auto& data = replay < 50 ? first : wide;  // the graph reads what is there when it runs
    check(
        cudaMemcpyAsync(x.data(), data.data(), size * sizeof(double), cudaMemcpyHostToDevice, lane.stream()));
    check(cudaGraphLaunch(graph, lane.stream()));
    lane.wait();
    for (std::size_t i = 0; i < oracle::all_operations.size(); ++i) {
      static std::array<std::array<std::uint64_t, oracle::all_operations.size()>, 2> expected;
      auto& of_data = expected[replay < 50 ? 0 : 1];
      if (replay % 50 == 0)
        of_data[i] = cases::call(oracle::all_operations[i], data, second, ElementType::float64, 1);
      ASSERT_EQ(lane.fetch<std::uint64_t>(static_cast<int>(i)), of_data[i])
          << name_of(oracle::all_operations[i]) << " in replay " << replay;
    }
    if (replay % 50 == 0) {
      std::vector<double> results(columns);
      check(cudaMemcpy(results.data(), out.data(), columns * sizeof(double), cudaMemcpyDeviceToHost));
      ASSERT_EQ(results, foldline::column_sums(foldline::MatrixView(data.data(), rows, columns)));
    }
    if (replay % 10 == 0) {
      std::vector<double> prefixes(size), expected(size);
      foldline::inclusive_scan(data, expected);
      check(cudaMemcpy(prefixes.data(), scanned.data(), size * sizeof(double), cudaMemcpyDeviceToHost));
      ASSERT_EQ(prefixes, expected) << "in replay " << replay;
    }
  }
  EXPECT_EQ(cuda_test::allocations().made, before);
  check(cudaGraphExecDestroy(graph));
}

TEST_F(CudaAsync, SeveralStreamsAtOnce) {
  constexpr std::int64_t size = 3'000'000;
  std::array<Lane, 6> lanes;
  std::vector<std::unique_ptr<DeviceMemory<double>>> data;
  std::vector<double> expected;
  for (unsigned i = 0; i < lanes.size(); ++i) {
    const auto x = normal_deviates(size, 10 + i);
    expected.push_back(foldline::sum(x));
    data.push_back(std::make_unique<DeviceMemory<double>>(std::span<const double>(x)));
  }
  for (int round = 0; round < 30; ++round) {
    for (std::size_t i = 0; i < lanes.size(); ++i)
      async::sum(VectorView(data[i]->data(), size), lanes[i].result(), lanes[i].queue());
    for (std::size_t i = 0; i < lanes.size(); ++i) ASSERT_EQ(lanes[i].fetch(), expected[i]);
  }
}

TEST_F(CudaAsync, SeveralThreadsAtOnce) {
  constexpr std::size_t jobs = 6;
  std::array<std::thread, jobs> threads;
  std::array<int, jobs> wrong{};
  for (unsigned job = 0; job < jobs; ++job)
    threads[job] = std::thread([job, &wrong] {
      const auto x = normal_deviates(100'000 + 1000 * job, job);
      const double expected = foldline::variance(x, {.ddof = 1});
      const DeviceMemory<double> there(static_cast<std::int64_t>(x.size()));
      Lane lane;
      // Queued in the stream, the copy is there before the reduction begins.
      check(cudaMemcpyAsync(there.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice,
                            lane.stream()));
      const VectorView view(there.data(), static_cast<std::int64_t>(x.size()));
      for (int i = 0; i < 50; ++i) {
        async::variance(view, lane.result(), {.ddof = 1}, lane.queue());
        if (lane.fetch() != expected) ++wrong[job];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

}  // namespace
