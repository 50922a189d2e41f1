// Sums of segments beside CUB's DeviceSegmentedReduce: segments-bench [MILLIONS OF VALUES] [TYPE]. Prints a
// line for each type and distribution of lengths: medians of rounds by turns, and the ratio. Results are
// compared, too: CUB's are not exact.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>

#include "foldline/foldline.hpp"

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
T* device_copy(const std::vector<T>& values) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof(T)));
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(memory);
}

enum class Lengths { uniform, power_law, one };

/// A number from -0.5 to 0.5, or an integer, of 64 bits one of which sums do not overflow.
template <class T>
T value_of(std::uint64_t random) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(random) / (sizeof(T) == 8 ? std::int64_t{1} << 32 : 1));
  else
    return static_cast<T>(static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
}

/// Offsets of segments that end at `size` values.
std::vector<std::int64_t> offsets_of(Lengths lengths, std::int64_t mean, std::int64_t size) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> offsets = {0};
  while (offsets.back() < size) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    std::int64_t length = mean;
    if (lengths == Lengths::uniform)
      length = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * mean + 1));
    // Pareto: P(length > x) = (least / x)^1.5, whose mean is 3 times the least
    if (lengths == Lengths::power_law)
      length =
          static_cast<std::int64_t>(std::min(1e7, static_cast<double>(mean) / 3 * std::pow(1 - u, -1 / 1.5)));
    offsets.push_back(std::min(offsets.back() + length, size));
  }
  return offsets;
}

double median_ms(std::vector<float>& times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

/// Of sums as R; variances and maxima are doubles where these are integers: no integer is a maximum of none.
template <class T, class R>
void compare(const char* type, Lengths lengths, const char* name, std::int64_t mean, std::int64_t size) {
  const std::vector<std::int64_t> offsets = offsets_of(lengths, mean, size);
  const std::int64_t count = static_cast<std::int64_t>(offsets.size()) - 1;
  std::vector<T> values(static_cast<std::size_t>(size));
  std::mt19937_64 random(2);
  for (T& value : values) value = value_of<T>(random());
  T* const x = device_copy(values);
  std::int64_t* const ends = device_copy(offsets);
  using Spread = std::conditional_t<std::is_integral_v<R>, double, R>;
  R* const out = device_copy(std::vector<R>(static_cast<std::size_t>(count)));
  R* const other = device_copy(std::vector<R>(static_cast<std::size_t>(count)));
  Spread* const spread = device_copy(std::vector<Spread>(static_cast<std::size_t>(count)));
  std::int64_t* const status = device_copy(std::vector<std::int64_t>(1));
  foldline::DeviceWorkspace workspace(foldline::Device::cuda());
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaDeviceSynchronize());
  const auto ours = [&](foldline::Operation operation, auto* results) {
    foldline::async::reduce_segments(operation, foldline::VectorView(x, size),
                                     foldline::VectorView(ends, count + 1),
                                     foldline::MutableVectorView(results, count), {},
                                     {.workspace = &workspace, .stream = stream, .status = status});
  };
  std::size_t bytes = 0;
  check(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, x, other, count, ends, ends + 1, stream));
  void* scratch = nullptr;
  check(cudaMalloc(&scratch, bytes + 1));
  const std::vector<std::function<void()>> calls = {
      [&] { ours(foldline::Operation::sum, out); },
      [&] {
        check(cub::DeviceSegmentedReduce::Sum(scratch, bytes, x, other, count, ends, ends + 1, stream));
      },
      [&] { ours(foldline::Operation::variance, spread); },
      [&] { ours(foldline::Operation::maximum, spread); }};
  std::vector<std::vector<float>> times(calls.size());
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int round = 0; round < 12; ++round)
    for (std::size_t i = 0; i < calls.size(); ++i) {
      check(cudaEventRecord(begin, stream));
      calls[i]();
      check(cudaEventRecord(end, stream));
      check(cudaEventSynchronize(end));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end));
      if (round > 1) times[i].push_back(ms);
    }
  ours(foldline::Operation::sum, out);
  check(cudaStreamSynchronize(stream));
  std::vector<R> exact(static_cast<std::size_t>(count)), peer(exact), expected(exact);
  check(cudaMemcpy(exact.data(), out, exact.size() * sizeof(R), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(peer.data(), other, peer.size() * sizeof(R), cudaMemcpyDeviceToHost));
  foldline::reduce_segments(foldline::Operation::sum, values, offsets, expected);
  std::int64_t wrong = 0, differ = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    wrong += exact[i] != expected[i] ? 1 : 0;
    differ += exact[i] != peer[i] ? 1 : 0;
  }
  const double read = static_cast<double>(size) * sizeof(T) + static_cast<double>(count) * (8 + sizeof(R));
  const double sum = median_ms(times[0]), cub = median_ms(times[1]);
  std::printf(
      "%-8s %-10s mean %4lld, %9lld segments: foldline %8.3f ms (%5.0f GB/s), CUB %8.3f ms, ratio %6.2f; "
      "variance %8.3f, "
      "maximum %8.3f ms; wrong %lld, CUB's not exact %lld\n",
      type, name, static_cast<long long>(size / count), static_cast<long long>(count), sum, read / sum * 1e-6,
      cub, cub / sum, median_ms(times[2]), median_ms(times[3]), static_cast<long long>(wrong),
      static_cast<long long>(differ));
  std::fflush(stdout);
  for (void* memory :
       {static_cast<void*>(x), static_cast<void*>(ends), static_cast<void*>(out), static_cast<void*>(other),
        static_cast<void*>(spread), static_cast<void*>(status), scratch})
    cudaFree(memory);
  cudaStreamDestroy(stream);
}

template <class T, class R = T>
void compare_type(const char* type, std::int64_t size) {
  compare<T, R>(type, Lengths::uniform, "uniform", 4, size);
  compare<T, R>(type, Lengths::power_law, "power law", 4, size);
  compare<T, R>(type, Lengths::uniform, "uniform", 32, size);
  compare<T, R>(type, Lengths::power_law, "power law", 32, size);
  compare<T, R>(type, Lengths::uniform, "uniform", 1000, size);
  compare<T, R>(type, Lengths::one, "equal", 100'000, size);
}

enum class Keys { random, sorted, power_law };

/// Group sums of a waiting call, in the device's memory; the peers are in segments.py.
template <class T>
void group_sums(const char* type, Keys kind, std::int64_t size, std::int64_t keys_count) {
  std::vector<std::int32_t> keys(static_cast<std::size_t>(size));
  std::vector<T> values(keys.size());
  std::mt19937_64 random(3);
  const auto fraction = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // Of the power law, key k is as frequent as 1 / (k + 1).
    const double u = fraction(), count = static_cast<double>(keys_count);
    keys[i] = static_cast<std::int32_t>(kind == Keys::power_law ? std::pow(count, u) - 1 : u * count);
    values[i] = value_of<T>(random());
  }
  if (kind == Keys::sorted) std::ranges::sort(keys);
  std::int32_t* const names = device_copy(keys);
  T* const x = device_copy(values);
  T* const out = device_copy(std::vector<T>(static_cast<std::size_t>(keys_count)));
  std::vector<float> times;
  for (int round = 0; round < 10; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    foldline::reduce_by_key(foldline::Operation::sum, foldline::VectorView(names, size),
                            foldline::VectorView(x, size), foldline::MutableVectorView(out, keys_count), {},
                            {.execution = {.device = foldline::Device::cuda()}});
    const std::chrono::duration<float, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (round > 1) times.push_back(took.count());
  }
  constexpr const char* names_of_kinds[] = {"random", "sorted", "power-law"};
  std::printf("group sums of %lld %s, %lld %s keys: foldline %8.3f ms\n", static_cast<long long>(size), type,
              static_cast<long long>(keys_count), names_of_kinds[static_cast<int>(kind)], median_ms(times));
  std::fflush(stdout);
  for (void* memory : {static_cast<void*>(names), static_cast<void*>(x), static_cast<void*>(out)})
    cudaFree(memory);
}

template <class T>
void group_sums_of_type(const char* type, std::int64_t size) {
  for (const Keys kind : {Keys::random, Keys::sorted, Keys::power_law})
    for (const std::int64_t count : {10'000'000, 1'000'000, 100'000, 1000})
      group_sums<T>(type, kind, size, count);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t size = (argc > 1 ? std::atoll(argv[1]) : 40) * 1'000'000;
  const auto takes = [&](std::string_view type) { return argc < 3 || type == argv[2]; };
  if (takes("float")) compare_type<float>("float", size);
  if (takes("double")) compare_type<double>("double", size);
  if (takes("int8")) compare_type<std::int8_t, std::int64_t>("int8", size);
  if (takes("int32")) compare_type<std::int32_t, std::int64_t>("int32", size);
  if (takes("int64")) compare_type<std::int64_t>("int64", size);
  if (takes("float")) group_sums_of_type<float>("floats", size);
  if (takes("double")) group_sums_of_type<double>("doubles", size);
  if (takes("int64")) group_sums_of_type<std::int64_t>("int64", size);
}
