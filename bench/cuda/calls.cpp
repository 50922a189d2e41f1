// Times of short calls on a GPU, a line each, for bench/compare_builds: what is the same in two builds of the
// library is seen best where the data is little and what surrounds it counts. An argument is a regular
// expression for the names of those to measure.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <random>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "bench/cuda/check.hpp"
#include "bench/cuda/lane.hpp"
#include "bench/cuda/memory.hpp"
#include "foldline/foldline.hpp"

namespace {

using namespace foldline::bench::cuda;
using foldline::Element;
using foldline::Operation;

constexpr std::int64_t most = std::int64_t{1} << 20;

/// Normal numbers, or `wide` ones: of any exponent that leaves squares and sums finite.
template <Element T>
std::vector<T> numbers(bool wide) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr int reach = sizeof(T) == 8 ? 480 : 55;
  std::vector<T> result(most);
  for (T& x : result) {
    const double value = normal(random);
    if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(wide ? random() : static_cast<std::uint64_t>(value * 1000));
    else
      x = static_cast<T>(wide ? std::ldexp(value, static_cast<int>(random() % (2 * reach)) - reach) : value);
  }
  return result;
}

/// The median time of a call in microseconds, of calls in a graph.
double median_time(const std::function<void()>& call, cudaStream_t stream) {
  constexpr int rounds = 9, calls = 50;
  call();  // loads the kernels
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t batch = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning a graph");
  for (int i = 0; i < calls; ++i) call();
  check(cudaStreamEndCapture(stream, &graph), "ending a graph");
  check(cudaGraphInstantiate(&batch, graph, 0), "making a graph");
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "making an event");
  check(cudaEventCreate(&end), "making an event");
  std::array<double, rounds> times{};
  for (double& time : times) {
    check(cudaGraphLaunch(batch, stream), "starting a graph");  // keeps the GPU busy until all is queued
    check(cudaEventRecord(begin, stream), "taking time");
    check(cudaGraphLaunch(batch, stream), "starting a graph");
    check(cudaEventRecord(end, stream), "taking time");
    check(cudaEventSynchronize(end), "taking time");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "taking time");
    time = static_cast<double>(milliseconds) * 1000 / calls;
  }
  check(cudaEventDestroy(begin), "ending an event");
  check(cudaEventDestroy(end), "ending an event");
  check(cudaGraphExecDestroy(batch), "ending a graph");
  check(cudaGraphDestroy(graph), "ending a graph");
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[rounds / 2];
}

template <Element T>
void measure_type(Lane& lane, bool wide, const std::regex& filter) {
  const auto x = device_array<T>(most), scanned = device_array<T>(most);
  copy_to_device(std::span<const T>(numbers<T>(wide)), x.get());
  const auto results = device_array<double>(most);
  const std::string kind =
      fmt::format("{}/{}", name_of(foldline::element_type_of<T>), wide ? "wide" : "normal");
  const auto print = [&](const std::string& what, const std::function<void()>& call) {
    const std::string name = what + "/" + kind;
    if (std::regex_search(name, filter)) fmt::print("{}\t{:.3f}\n", name, median_time(call, lane.stream()));
  };
  using foldline::VectorView;
  for (const Operation operation : {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::mean,
                                    Operation::variance, Operation::standard_deviation, Operation::maximum})
    for (const std::int64_t size : {std::int64_t{1} << 10, std::int64_t{1} << 16, most})
      print(fmt::format("{}/{}", name_of(operation), size), [&] {
        foldline::async::reduce(operation, VectorView(x.get(), size),
                                foldline::MutableVectorView(results.get(), 1), {}, lane.queue());
      });
  print(fmt::format("dot/{}", most), [&] {
    const VectorView both(x.get(), most);
    foldline::async::reduce(Operation::dot, both, both, foldline::MutableVectorView(results.get(), 1),
                            lane.queue());
  });
  constexpr auto type = foldline::element_type_of<T>;
  for (const std::int64_t columns : {std::int64_t{4}, std::int64_t{64}, std::int64_t{4096}})
    for (const std::int64_t axis : {std::int64_t{0}, std::int64_t{1}})
      for (const Operation operation : {Operation::sum, Operation::variance}) {
        const std::int64_t rows = most / columns;
        const foldline::ArrayView array(x.get(), type, {rows, columns}, {columns, 1});
        const foldline::MutableArrayView out(results.get(), foldline::ElementType::float64,
                                             {axis == 0 ? columns : rows}, {1});
        print(fmt::format("{}/{}x{}/axis {}", name_of(operation), rows, columns, axis),
              [&] { foldline::async::reduce_axis(operation, array, axis, out, {}, lane.queue()); });
      }
  for (const std::int64_t size : {most / 16, most})
    print(fmt::format("inclusive_scan/{}", size), [&] {
      foldline::async::inclusive_scan(VectorView(x.get(), size),
                                      foldline::MutableVectorView(scanned.get(), size), lane.queue());
    });
}

}  // namespace

int main(int count, char** arguments) try {
  const std::regex filter(count > 1 ? arguments[1] : "");
  Lane lane;
  for (const bool wide : {false, true}) {
    measure_type<double>(lane, wide, filter);
    measure_type<float>(lane, wide, filter);
    measure_type<std::int32_t>(lane, wide, filter);
  }
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  fmt::print(stderr, "calls: {}\n", error.what());
  return EXIT_FAILURE;
}
