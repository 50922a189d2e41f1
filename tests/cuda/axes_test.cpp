// Reductions along an axis on a GPU: the bits of the oracle, or those of the CPU, whose are the oracle's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include "axes_fixture.hpp"
#include "integer_cases.hpp"

namespace {

using axes_cases::Extents;
using axes_cases::Memory;
using axes_cases::Placement;
using cuda_test::check;
using cuda_test::compare;
using cuda_test::CudaAxes;
using cuda_test::DeviceMemory;
using cuda_test::fill;
using cuda_test::on_gpu;
using foldline::ArrayView;
using foldline::Context;
using foldline::Device;
using foldline::ElementType;
using foldline::MatrixView;
using foldline::MutableArrayView;
using foldline::Operation;
using generators::Random;

int random_cases() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text == nullptr ? 3000 : std::max(1, std::atoi(text));
}

TEST_F(CudaAxes, RandomCasesAgainstTheOracle) {
  cases::run_on(Device::cuda());
  for (int i = 0; i < random_cases(); ++i) {
    std::string failure;
    ASSERT_TRUE(axes_cases::check_random_axes_case(Random(static_cast<std::uint64_t>(i)).bits(), failure))
        << failure;
  }
}

TEST_F(CudaAxes, RandomIntegersAgainstTheOracle) {
  cases::run_on(Device::cuda());
  for (int i = 0; i < random_cases(); ++i)
    ASSERT_EQ(integer_cases::check_random_axis(Random(static_cast<std::uint64_t>(i)).bits()), "");
}

template <class F>
void for_each_type(F f) {
  for (const ElementType type : oracle::all_types) f(type);
  for (const ElementType type : integer_cases::all_types) f(type);
}

// A warp has 32 threads, a block 256 of up to 64 vectors, with 4, 8 or 16 elements at a time.
TEST_F(CudaAxes, ShapesAroundBoundaries) {
  constexpr std::array sizes = {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 129, 257};
  for (const std::int64_t rows : sizes)
    for (const std::int64_t columns : sizes)
      for (const ElementType type : {ElementType::float64, ElementType::float32, ElementType::int32}) {
        Memory array(axes_cases::dense({rows, columns}), type);
        fill(array, type, false, random_);
        for (const std::size_t axis : {0u, 1u}) {
          compare(array, axis, ElementType::float64, std::to_string(rows) + " x " + std::to_string(columns));
          if (HasFatalFailure()) return;
        }
      }
}

TEST_F(CudaAxes, EveryTypeAndLayout) {
  for_each_type([&](ElementType type) {
    for (const bool any_bits : {false, true})
      for (const Extents& shape :
           {Extents{1000, 7}, Extents{300, 130}, Extents{5, 6, 7, 50}, Extents{20'000}})
        for (int draw = 0; draw < 3; ++draw) {
          Memory array(axes_cases::random_placement(shape, false, random_), type);
          fill(array, type, any_bits, random_);
          for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            compare(array, axis, is_floating(type) ? type : ElementType::float64, "random layout");
            if (HasFatalFailure()) return;
          }
        }
  });
}

// Few results, so that many blocks share each of them.
TEST_F(CudaAxes, TallAndLong) {
  for (const Extents& shape :
       {Extents{100'003, 8}, Extents{40'001, 7}, Extents{30'000, 33}, Extents{2, 300'001},
        Extents{300'001, 1}, Extents{1, 300'001}, Extents{9000, 100}, Extents{50'001, 10},
        Extents{20'011, 24}, Extents{20'011, 68}, Extents{100'003, 2}, Extents{100'003, 4},
        Extents{3001, 1004}, Extents{70, 9000}})
    for (const ElementType type : {ElementType::float64, ElementType::float32, ElementType::int64})
      for (const bool any_bits : {false, true}) {
        Memory array(axes_cases::dense(shape), type);
        fill(array, type, any_bits, random_);
        for (const std::size_t axis : {0u, 1u}) {
          compare(array, axis, ElementType::float64, std::to_string(shape[0]) + " rows");
          if (HasFatalFailure()) return;
        }
      }
}

// Columns of every kind beside each other: none may touch its neighbours, and each needs a way of its own.
TEST_F(CudaAxes, ColumnsThatNoWindowHolds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kinds = 18;
  const auto element = [&](std::int64_t row, std::int64_t column, std::int64_t rows) {
    const double fraction = random_.real() - 0.5;
    switch (column % kinds) {
      case 0:
        return std::ldexp(fraction, static_cast<int>(random_.between(-1074, 1023)));
      case 1:
        return std::ldexp(fraction, static_cast<int>(row * 2000 / rows) - 1000);
      case 2:
        return std::ldexp(fraction, 1000 - static_cast<int>(row * 2000 / rows));
      case 3:
        return std::ldexp(fraction, -1060);
      case 4:
        return std::ldexp(fraction, 1023);
      case 5:
        return row % 100 == 7 ? 0x1p300 : fraction;
      case 6:
        return row % 100 == 7 ? 0x1p-300 : fraction;
      case 7:
        return row == rows / 2 ? infinity : fraction;
      case 8:
        return row == 1 ? infinity : row == rows - 1 ? -infinity : fraction;
      case 9:
        return row == rows - 1 ? std::nan("") : fraction;
      case 10:
        return -0.0;
      case 11:
        return row == rows - 1 ? 0.0 : -0.0;
      case 12:
        return row % 2 == 0 ? 0x1p900 : -0x1p900;
      case 13:
        return std::ldexp(fraction, -540);
      case 14:
        return row % 32 == 8 ? std::ldexp(fraction, 40) : fraction;
      case 15:
        return row % 3 != 0 ? 0.0 : fraction;
      case 16:
        return row % 3 == 0 ? fraction : row % 100 == 7 ? 0x1p-1074 : -0.0;
      default:
        return fraction;
    }
  };
  for (const Extents& shape :
       {Extents{20'000, 18}, Extents{1000, 100}, Extents{100, 20'000}, Extents{7, 18}, Extents{250'000, 18},
        Extents{20'000, 16}, Extents{250'000, 16}, Extents{20'000, 68}, Extents{100'000, 36}})
    for (const bool transposed : {false, true}) {
      Placement placement = axes_cases::dense(shape);
      if (transposed) placement.strides = {1, shape[0]};
      Memory array(placement, ElementType::float64);
      for (std::int64_t row = 0; row < shape[0]; ++row)
        for (std::int64_t column = 0; column < shape[1]; ++column)
          array.set({row, column}, element(row, column, shape[0]));
      for (const ElementType result : {ElementType::float64, ElementType::bfloat16}) {
        compare(array, 0, result, std::to_string(shape[0]) + " rows");
        if (HasFatalFailure()) return;
      }
    }
}

// More columns than blocks may share.
TEST_F(CudaAxes, ManyResults) {
  for (const Extents& shape : {Extents{40, 100'003}, Extents{100'003, 40}, Extents{3, 300'000}}) {
    Memory array(axes_cases::dense(shape), ElementType::float64);
    fill(array, ElementType::float64, false, random_);
    for (const std::size_t axis : {0u, 1u}) {
      compare(array, axis, ElementType::float64, "many");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaAxes, MoreAxesThanALaunchTakes) {
  // Neighbouring axes are swapped, so that no two of them are one run.
  const Extents shape(12, 2);
  Placement placement = axes_cases::dense(shape);
  for (std::size_t i = 0; i < shape.size(); i += 2) std::swap(placement.strides[i], placement.strides[i + 1]);
  Memory array(placement, ElementType::float64);
  fill(array, ElementType::float64, false, random_);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    compare(array, axis, ElementType::float64, "axis " + std::to_string(axis));
    if (HasFatalFailure()) return;
  }
}

TEST_F(CudaAxes, WholeNumbersOrTheErrorOfTheCpu) {
  constexpr std::int64_t rows = 1001, columns = 70;
  Memory array(axes_cases::dense({rows, columns}), ElementType::int32);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      array.set_bits({row, column}, static_cast<std::uint64_t>(column == 33 ? 1 << 30 : row - column));
  const auto message_of = [&](const Context& context, ElementType type) -> std::string {
    Memory results(axes_cases::dense({columns}), type);
    try {
      array.reduce(Operation::sum, 0, results, 0, context);
    } catch (const foldline::OverflowError& error) {
      return error.what();
    }
    std::string bits;
    for (std::int64_t column = 0; column < columns; ++column)
      bits += std::to_string(results.bits({column})) + ' ';
    return bits;
  };
  EXPECT_NE(message_of(on_gpu, ElementType::int32).find("does not fit int32"), std::string::npos);
  EXPECT_EQ(message_of(on_gpu, ElementType::int32), message_of({}, ElementType::int32));
  EXPECT_EQ(message_of(on_gpu, ElementType::int64), message_of({}, ElementType::int64));
  const Context wrap{.overflow = foldline::Overflow::wrap},
      wrap_on_gpu{.overflow = foldline::Overflow::wrap, .execution = {.device = Device::cuda()}};
  EXPECT_EQ(message_of(wrap_on_gpu, ElementType::int16), message_of(wrap, ElementType::int16));
  const std::vector<double> halves(10, 0.5);
  std::vector<std::int64_t> out(1);
  EXPECT_THROW(
      foldline::reduce_axis(Operation::maximum, ArrayView(halves.data(), {10, 1}), 0, out, {}, on_gpu),
      foldline::InvalidArgument);
}

TEST_F(CudaAxes, WhereTheDataIs) {
  constexpr std::int64_t rows = 5000, columns = 100;
  std::vector<double> x(rows * columns), expected(columns), out(columns);
  for (double& value : x) value = random_.real();
  foldline::reduce_columns(Operation::mean, MatrixView(x.data(), rows, columns), expected);
  const DeviceMemory<double> there{std::span(x)}, results(columns);
  const auto of_device = [&] {
    std::vector<double> copy(columns);
    check(cudaMemcpy(copy.data(), results.data(), columns * sizeof(double), cudaMemcpyDeviceToHost));
    return copy;
  };
  const MatrixView here(x.data(), rows, columns), on_device(there.data(), rows, columns);
  foldline::reduce_columns(Operation::mean, here, out, {}, on_gpu);
  EXPECT_EQ(out, expected) << "host to host";
  foldline::reduce_columns(Operation::mean, here, MutableArrayView(results.data(), {columns}), {}, on_gpu);
  EXPECT_EQ(of_device(), expected) << "host to device";
  std::ranges::fill(out, 0);
  foldline::reduce_columns(Operation::mean, on_device, out, {}, on_gpu);
  EXPECT_EQ(out, expected) << "device to host";
  EXPECT_EQ(foldline::column_sums(on_device, on_gpu), foldline::column_sums(here));
  EXPECT_EQ(foldline::row_sums(on_device, on_gpu), foldline::row_sums(here));
  double* managed = nullptr;
  check(cudaMallocManaged(reinterpret_cast<void**>(&managed), x.size() * sizeof(double)));
  std::ranges::copy(x, managed);
  foldline::reduce_columns(Operation::mean, MatrixView(managed, rows, columns), out, {}, on_gpu);
  EXPECT_EQ(out, expected) << "managed";
  check(cudaFree(managed));
}

TEST_F(CudaAxes, AHundredTimesTheSame) {
  for (const auto& [rows, columns] : {std::pair{50'000, 8}, {50'000, 9}, {600'000, 8}}) {
    std::vector<double> x(static_cast<std::size_t>(rows * columns));
    for (double& value : x) value = std::ldexp(random_.real(), static_cast<int>(random_.between(-60, 60)));
    const DeviceMemory<double> there{std::span(x)};
    const auto expected = foldline::column_sums(MatrixView(x.data(), rows, columns));
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(foldline::column_sums(MatrixView(there.data(), rows, columns), on_gpu), expected);
  }
}

TEST_F(CudaAxes, StreamsAndThreads) {
  constexpr int jobs = 6;
  std::array<std::thread, jobs> threads;
  std::array<bool, jobs> right{};
  for (std::size_t job = 0; job < jobs; ++job)
    threads[job] = std::thread([job, &right] {
      const auto rows = static_cast<std::int64_t>(3000 + 100 * job);
      constexpr std::int64_t columns = 20;
      Random random(job);
      std::vector<double> x(static_cast<std::size_t>(rows * columns));
      for (double& value : x) value = random.real();
      const DeviceMemory<double> there(rows * columns);
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      // Queued in the stream, the copy is there before the reduction begins.
      check(
          cudaMemcpyAsync(there.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice, stream));
      const Context context{.execution = {.device = Device::cuda(), .stream = stream}};
      const auto expected = foldline::column_sums(MatrixView(x.data(), rows, columns));
      bool all = true;
      for (int i = 0; i < 50; ++i)
        all = all && foldline::column_sums(MatrixView(there.data(), rows, columns), context) == expected;
      right[job] = all;
      check(cudaStreamDestroy(stream));
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool all : right) EXPECT_TRUE(all);
}

}  // namespace
