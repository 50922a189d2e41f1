// Times of reductions along the axes of matrices on a GPU, for axis_grid.py: one row of JSON for each, of
// shapes that are scaled up until they have a given number of bytes.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "bench/cuda/check.hpp"
#include "bench/cuda/memory.hpp"
#include "bench/cuda/read_kernels.hpp"
#include "foldline/foldline.hpp"

namespace {

using namespace foldline::bench::cuda;
using foldline::ElementType;
using foldline::Operation;

struct Shape {
  std::int64_t rows, columns;
};
constexpr std::array shapes = std::to_array<Shape>({{4, 1 << 22},
                                                    {16, 1 << 20},
                                                    {64, 1'048'576},
                                                    {1000, 20'000},
                                                    {1024, 65'536},
                                                    {8192, 4096},
                                                    {65'536, 1024},
                                                    {131'072, 128},
                                                    {100'000, 100},
                                                    {524'288, 32},
                                                    {1'000'000, 16},
                                                    {1'000'000, 7},
                                                    {1'000'000, 4}});
constexpr std::array operations = std::to_array<Operation>(
    {Operation::sum, Operation::mean, Operation::variance, Operation::two_norm, Operation::maximum});
constexpr std::array types = {ElementType::float64, ElementType::float32, ElementType::bfloat16,
                              ElementType::half};

/// The shape with its longer axis doubled until an array has at least that many bytes.
Shape scaled(Shape shape, std::int64_t width, std::int64_t least_bytes) {
  std::int64_t& longer = shape.rows > shape.columns ? shape.rows : shape.columns;
  while (shape.rows * shape.columns * width < least_bytes) longer *= 2;
  return shape;
}

/// Normal numbers of a type, by their bits.
std::vector<std::byte> normal_numbers(ElementType type, std::int64_t bytes) {
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> some(1'000'003);  // no multiple of a row
  for (double& x : some) x = normal(random);
  const std::int64_t width = foldline::size_of(type), count = bytes / width;
  for (std::int64_t i = 0; i < count; i += std::ssize(some)) {
    const std::int64_t part = std::min<std::int64_t>(std::ssize(some), count - i);
    // The sum of one element is that element, rounded to the type.
    const foldline::MatrixView each(some.data(), part, 1);
    foldline::reduce_rows(Operation::sum, each,
                          foldline::MutableArrayView(result.data() + i * width, type, {part}, {1}), {});
  }
  return result;
}

/// The median time of a call in nanoseconds.
double median_time(const std::function<void()>& call, cudaStream_t stream) {
  constexpr int rounds = 7, calls = 10;
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "making an event");
  check(cudaEventCreate(&end), "making an event");
  std::array<double, rounds> times{};
  for (int i = 0; i < 2; ++i) call();
  for (double& time : times) {
    call();  // keeps the GPU busy until all is queued
    check(cudaEventRecord(begin, stream), "taking time");
    for (int i = 0; i < calls; ++i) call();
    check(cudaEventRecord(end, stream), "taking time");
    check(cudaEventSynchronize(end), "taking time");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "taking time");
    time = static_cast<double>(milliseconds) * 1e6 / calls;
  }
  check(cudaEventDestroy(begin), "ending an event");
  check(cudaEventDestroy(end), "ending an event");
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[rounds / 2];
}

double fastest_read(const void* data, std::int64_t bytes, cudaStream_t stream) {
  const auto sink = device_array<int>(1);
  double best = 0;
  for (const ReadKernel& kernel : read_kernels()) {
    const double time =
        median_time([&] { check(kernel.queue(data, bytes, sink.get(), stream), "reading"); }, stream);
    if (best == 0 || time < best) best = time;
  }
  return best;
}

void measure_type(ElementType type, std::int64_t least_bytes) {
  const std::int64_t width = foldline::size_of(type);
  std::int64_t capacity = least_bytes;
  for (const Shape& shape : shapes) {
    const Shape actual = scaled(shape, width, least_bytes);
    capacity = std::max(capacity, actual.rows * actual.columns * width);
  }
  const auto data = device_array<std::byte>(capacity);
  const auto out = device_array<std::byte>(capacity);
  const std::vector<std::byte> numbers = normal_numbers(type, least_bytes / 4);
  for (std::int64_t at = 0; at < capacity; at += std::ssize(numbers))
    copy_to_device(
        std::span(numbers).first(static_cast<std::size_t>(std::min(std::ssize(numbers), capacity - at))),
        data.get() + at);
  foldline::DeviceWorkspace workspace(foldline::Device::cuda());
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  const foldline::async::Queue queue{.workspace = &workspace, .stream = stream};
  fmt::print("{{\"type\": \"{}\", \"read_bytes\": {}, \"ns\": {:.0f}}}\n", name_of(type), least_bytes,
             fastest_read(data.get(), least_bytes, stream));
  for (const Shape& base : shapes) {
    const Shape shape = scaled(base, width, least_bytes);
    const foldline::ArrayView array(data.get(), type, {shape.rows, shape.columns}, {shape.columns, 1});
    for (const std::int64_t axis : {std::int64_t{0}, std::int64_t{1}})
      for (const Operation operation : operations) {
        const foldline::MutableArrayView results(out.get(), type, {axis == 0 ? shape.columns : shape.rows},
                                                 {1});
        const auto call = [&] { foldline::async::reduce_axis(operation, array, axis, results, {}, queue); };
        fmt::print(
            "{{\"type\": \"{}\", \"operation\": \"{}\", \"rows\": {}, \"columns\": {}, \"axis\": {}, \"ns\": "
            "{:.0f}}}\n",
            name_of(type), name_of(operation), shape.rows, shape.columns, axis, median_time(call, stream));
      }
  }
  check(cudaStreamDestroy(stream), "ending a stream");
}

}  // namespace

int main(int count, char** arguments) try {
  std::int64_t mebibytes = 256;
  if (count > 1) {
    const std::string_view text = arguments[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
    if (error != std::errc() || end != text.data() + text.size() || mebibytes < 1 || mebibytes > 8192) {
      fmt::print(stderr, "axis_grid: the bytes of an array are 1 to 8192 MiB, not {}\n", text);
      return EXIT_FAILURE;
    }
  }
  for (const ElementType type : types) measure_type(type, mebibytes << 20);
  return EXIT_SUCCESS;
} catch (const std::exception& error) {
  fmt::print(stderr, "axis_grid: {}\n", error.what());
  return EXIT_FAILURE;
}
