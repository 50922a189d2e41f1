// Integrals of functions on a GPU: bit for bit those of the same functions on the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "device_memory.hpp"
#include "foldline/cuda/quadrature.cuh"
#include "foldline/foldline.hpp"

namespace {

using foldline::Context;
using foldline::Device;
using foldline::Integral;
using foldline::InvalidArgument;
using foldline::Rule;

class CudaQuadrature : public testing::Test {
 protected:
  void SetUp() override {
    if (foldline::gpus().empty()) GTEST_SKIP() << foldline::why_no_gpu();
  }
};

struct QuarterCircle {
  __host__ __device__ double operator()(double x) const { return 4 / (1 + x * x); }
};
struct Root {
  __host__ __device__ double operator()(double x) const { return sqrt(x); }
};
struct InverseRoot {
  __host__ __device__ double operator()(double x) const { return 1 / sqrt(x); }
};
struct EighthPower {
  __host__ __device__ double operator()(double x) const {
    x *= x;
    x *= x;
    return x * x;
  }
};
// Of either sign, and its sum is nearly 0.
struct Quartic {
  __host__ __device__ double operator()(double x) const { return x * (x - 1) * (x + 1) * (x - 0.5) - 0.1; }
};
struct Cube {
  __host__ __device__ double operator()(double x) const { return x * x * x; }
};
struct Zero {
  __host__ __device__ double operator()(double) const { return 0; }
};
struct Pole {
  __host__ __device__ double operator()(double x) const { return 1 / x; }
};
struct Subnormal {
  __host__ __device__ double operator()(double x) const { return (x - 0.5) * 5e-323; }
};
struct Tiny {
  __host__ __device__ double operator()(double x) const { return x * x * 1e-310; }
};
struct Huge {
  __host__ __device__ double operator()(double x) const { return (x - 0.25) * 1.7e308; }
};
// 0, then 1, then something else; and a few samples far away from their neighbours.
struct Steps {
  __host__ __device__ double operator()(double x) const {
    if (x * 1024 == floor(x * 1024)) return 1e-40;
    return x < 0.3 ? 0 : x < 0.7 ? 1 : x;
  }
};
// Any finite double.
struct Wild {
  __host__ __device__ double operator()(double x) const {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    for (int round = 0; round < 2; ++round) {
      bits ^= bits >> 31;
      bits *= 0x9e3779b97f4a7c15u;
    }
    bits ^= bits >> 29;
    if ((bits >> 52 & 0x7ff) == 0x7ff) bits ^= std::uint64_t{1} << 60;
    double y;
    std::memcpy(&y, &bits, sizeof y);
    return y;
  }
};

std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

void expect_same(const Integral& found, const Integral& expected) {
  EXPECT_EQ(bits_of(found.value), bits_of(expected.value)) << found.value << " and " << expected.value;
  EXPECT_EQ(found.evaluations, expected.evaluations);
  EXPECT_EQ(found.non_finite, expected.non_finite);
}

template <class F>
void compare(F f, double a, double b, Rule rule, std::int64_t n,
             const Context& gpu = {.execution = {.device = Device::cuda()}}) {
  SCOPED_TRACE(testing::Message() << "from " << a << " to " << b << ", rule " << static_cast<int>(rule.kind())
                                  << ", points " << rule.points() << ", n = " << n);
  expect_same(foldline::cuda::integrate(f, a, b, rule, n, gpu), foldline::integrate(f, a, b, rule, n));
}

/// All rules, with numbers of samples around those of batches, rows and tiles, in both directions.
template <class F>
void compare_all(F f, double a, double b) {
  for (const std::int64_t n : {1, 2, 31, 32, 33, 1000, 1024, 1025, 1'000'000, (1 << 24) + 1}) {
    compare(f, a, b, Rule::midpoint(), n);
    compare(f, b, a, Rule::trapezoid(), n);
    compare(f, a, b, Rule::simpson(), 2 * n);
    for (const int points : {1, 2, 7, 100})
      if (n * points < 3'000'000) compare(f, a, b, Rule::gauss_legendre(points), n);
  }
}

TEST_F(CudaQuadrature, SmoothFunctions) {
  compare_all(QuarterCircle(), 0, 1);
  compare_all(Root(), 0, 2);
  compare_all(QuarterCircle(), 1e-300, 3e9);
}
TEST_F(CudaQuadrature, WideRanges) {
  compare_all(InverseRoot(), 0, 1);  // infinite at 0
  compare_all(EighthPower(), 0, 1);
}
TEST_F(CudaQuadrature, Cancellation) {
  compare_all(Quartic(), -1, 1);
  compare_all(Cube(), -1, 1);
}
TEST_F(CudaQuadrature, ZerosAndSteps) {
  compare_all(Zero(), 0, 1);
  compare_all(Steps(), 0, 1);
  compare_all(QuarterCircle(), 1, 1);
}
TEST_F(CudaQuadrature, SamplesThatAreNotFinite) {
  compare_all(Pole(), -1, 1);
  compare_all(Root(), -1, 1);
}
TEST_F(CudaQuadrature, NearTheEndsOfTheRangeOfDoubles) {
  compare_all(Subnormal(), 0, 1);
  compare_all(Tiny(), 0, 1);
  compare_all(Huge(), 0, 1);
}
TEST_F(CudaQuadrature, AnyExponents) { compare_all(Wild(), 0.5, 1); }

// Tiles of several rows; several launches; more samples in memory than there is room for at a time.
TEST_F(CudaQuadrature, ManySamples) {
  compare(QuarterCircle(), 0, 1, Rule::midpoint(), (std::int64_t{1} << 28) + 12345);
  compare(Quartic(), -1, 1, Rule::gauss_legendre(1000), 270'000);
  compare(Wild(), 0.5, 1, Rule::trapezoid(), std::int64_t{1} << 26);
  compare(Wild(), 0.5, 1, Rule::gauss_legendre(3), std::int64_t{1} << 24);
}

TEST_F(CudaQuadrature, ManyPointsAndFewIntervals) {
  compare(Quartic(), -1, 2, Rule::gauss_legendre(2000), 1);
  compare(Quartic(), -1, 2, Rule::gauss_legendre(2000), 200);
}

TEST_F(CudaQuadrature, StreamsAndRepeatedRuns) {
  cudaStream_t stream = nullptr;
  cuda_test::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Context context{.execution = {.device = Device::cuda(), .stream = stream}};
  compare(QuarterCircle(), 0, 1, Rule::simpson(), 1'000'000, context);
  compare(Steps(), 0, 1, Rule::gauss_legendre(5), 1'000'000, context);
  const Integral first = foldline::cuda::integrate(Steps(), 0, 1, Rule::trapezoid(), 3'000'001, context);
  for (int run = 0; run < 20; ++run)
    expect_same(foldline::cuda::integrate(Steps(), 0, 1, Rule::trapezoid(), 3'000'001, context), first);
  cuda_test::check(cudaStreamDestroy(stream));
}

// A function of the device alone, with data there.
struct Polynomial {
  const double* coefficients;
  __device__ double operator()(double x) const {
    return (coefficients[2] * x + coefficients[1]) * x + coefficients[0];
  }
};

TEST_F(CudaQuadrature, FunctionsWithDataAndMemoryGivenBack) {
  const double coefficients[] = {1, 2, 3};
  const cuda_test::DeviceMemory<double> there{std::span(coefficients)};
  std::size_t before = 0, after = 0, total = 0;
  const auto integrate = [&] {
    return foldline::cuda::integrate(Polynomial{there.data()}, 0, 2, Rule::simpson(), 2).value;
  };
  EXPECT_EQ(integrate(), 14);
  foldline::cuda::integrate(Wild(), 0.5, 1, Rule::midpoint(), 1'000'000);
  cuda_test::check(cudaMemGetInfo(&before, &total));
  for (int run = 0; run < 10; ++run) {
    EXPECT_EQ(integrate(), 14);
    foldline::cuda::integrate(Wild(), 0.5, 1, Rule::midpoint(), 1'000'000);
  }
  cuda_test::check(cudaMemGetInfo(&after, &total));
  EXPECT_LT(before, after + (std::size_t{32} << 20)) << "ten calls would leave 80 MiB behind or more";
}

TEST_F(CudaQuadrature, Refusals) {
  const auto on = [](const Context& context, std::int64_t n) {
    return foldline::cuda::integrate(QuarterCircle(), 0, 1, Rule::simpson(), n, context);
  };
  EXPECT_THROW(on({}, 2), InvalidArgument) << "on the CPU";
  EXPECT_THROW(on({.execution = {.device = Device::cuda(1000)}}, 2), InvalidArgument);
  EXPECT_THROW(on({.execution = {.device = Device::cuda()}}, 3), InvalidArgument);
  EXPECT_THROW(on({.execution = {.device = Device::cuda()}}, 0), InvalidArgument);
  EXPECT_EQ(on({.execution = {.device = Device::cuda()}}, 2).evaluations, 3);
}

}  // namespace
