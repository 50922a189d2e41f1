// Reductions and scans with the user's own types on a GPU: bit for bit those of generic.hpp on the CPU.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "foldline/cuda/generic.cuh"
#include "foldline/foldline.hpp"

namespace {

using cuda_test::DeviceMemory;
using foldline::generic::cuda::Scratch;
namespace device = foldline::generic::cuda;
namespace host = foldline::generic;

class CudaGeneric : public testing::Test {
 protected:
  void SetUp() override {
    if (foldline::gpus().empty()) GTEST_SKIP() << foldline::why_no_gpu();
  }
};

struct Plus {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

// y -> factor * y + offset; first a, then b. It does not commute, and rounds.
struct Affine {
  double factor, offset;
};
struct Then {
  __host__ __device__ Affine operator()(const Affine& a, const Affine& b) const {
    return {b.factor * a.factor, b.factor * a.offset + b.offset};
  }
};
struct MapOf {
  const double* x;
  __host__ __device__ Affine operator()(std::int64_t i) const { return {x[i] < 0 ? -0.5 : 0.75, x[i]}; }
};

// A product of matrices of integers modulo 2^32: of 48 bytes with the count.
struct Matrix {
  std::uint32_t entry[3][3];
  std::uint32_t factors;
};
struct Product {
  __host__ __device__ Matrix operator()(const Matrix& a, const Matrix& b) const {
    Matrix c{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) c.entry[i][j] += a.entry[i][k] * b.entry[k][j];
    c.factors = a.factors + b.factors;
    return c;
  }
};
struct MatrixOf {
  const double* x;
  __host__ __device__ Matrix operator()(std::int64_t i) const {
    const auto n = static_cast<std::uint32_t>(i);
    return {{{1, n, 0}, {2, 1, n * n}, {0, x[i] < 0 ? 3u : 1u, 5}}, 1};
  }
};

struct Element {
  const double* x;
  __host__ __device__ double operator()(std::int64_t i) const { return x[i]; }
};

constexpr std::int64_t sizes[] = {0, 1, 7, 8, 9, 63, 100, 1000, 8191, 60'007, 1'000'003, 2'500'000};

std::vector<double> normal_deviates(std::int64_t size) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& value : values) value = normal(random);
  return values;
}

template <class T>
std::vector<T> fetch(const T* data, std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  if (size > 0)
    cuda_test::check(cudaMemcpy(values.data(), data, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

template <class T>
void expect_same(const std::vector<T>& found, const std::vector<T>& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(std::memcmp(&found[i], &expected[i], sizeof(T)), 0)
        << what << ": " << i << " of " << found.size();
}

/// All functions, with elements make(x)(i), for x on the host and on the device.
template <class T, class F, class Op>
void compare(T init, Op op) {
  Scratch scratch;
  for (const std::int64_t size : sizes) {
    const auto x = normal_deviates(size);
    const DeviceMemory<double> there{std::span(x)};
    const DeviceMemory<T> out(std::max<std::int64_t>(size, 1));
    device::transform_reduce(out.data(), size, init, op, F{there.data()}, scratch);
    expect_same(fetch(out.data(), 1), {host::transform_reduce(size, init, op, F{x.data()})}, "reduce");
    std::vector<T> expected(static_cast<std::size_t>(size));
    device::transform_inclusive_scan(out.data(), size, op, F{there.data()}, scratch);
    host::transform_inclusive_scan(expected, op, F{x.data()});
    expect_same(fetch(out.data(), size), expected, "inclusive");
    device::transform_exclusive_scan(out.data(), size, init, op, F{there.data()}, scratch);
    host::transform_exclusive_scan(expected, init, op, F{x.data()});
    expect_same(fetch(out.data(), size), expected, "exclusive");
  }
}

TEST_F(CudaGeneric, SumsThatRound) { compare<double, Element>(0.1, Plus()); }
TEST_F(CudaGeneric, OperatorsThatDoNotCommute) { compare<Affine, MapOf>({1, 0}, Then()); }
TEST_F(CudaGeneric, LargeElements) {
  compare<Matrix, MatrixOf>({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0}, Product());
}

TEST_F(CudaGeneric, ArraysInPlaceAndOtherTypes) {
  const std::int64_t size = 300'001;
  const auto x = normal_deviates(size);
  std::vector<float> floats(x.begin(), x.end());
  const DeviceMemory<float> there{std::span<const float>(floats)};
  const DeviceMemory<double> sum(1);
  Scratch scratch;
  device::reduce(sum.data(), there.data(), size, 0.5, Plus(), scratch);
  EXPECT_EQ(fetch(sum.data(), 1)[0], host::reduce(floats, 0.5, Plus()));
  device::exclusive_scan(there.data(), there.data(), size, 0.25f, Plus(), scratch);
  host::exclusive_scan(floats, floats, 0.25f, Plus());
  expect_same(fetch(there.data(), size), floats, "in place");
  device::inclusive_scan(there.data(), there.data(), size, Plus(), scratch);
  host::inclusive_scan(floats, floats, Plus());
  expect_same(fetch(there.data(), size), floats, "in place, inclusive");
}

TEST_F(CudaGeneric, GraphsAndRepeatedRuns) {
  const std::int64_t size = 1'000'003;
  const auto x = normal_deviates(size);
  const DeviceMemory<double> there{std::span(x)}, sum(1);
  Scratch scratch;
  cudaStream_t stream = nullptr;
  cuda_test::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto work = [&] { device::reduce(sum.data(), there.data(), size, 0.0, Plus(), scratch, stream); };
  work();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda_test::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work();
  cuda_test::check(cudaStreamEndCapture(stream, &graph));
  cuda_test::check(cudaGraphInstantiate(&executable, graph, 0));
  const double expected = host::reduce(x, 0.0, Plus());
  for (int replay = 0; replay < 100; ++replay) {
    cuda_test::check(cudaMemsetAsync(sum.data(), 0, sizeof(double), stream));
    cuda_test::check(cudaGraphLaunch(executable, stream));
    cuda_test::check(cudaStreamSynchronize(stream));
    ASSERT_EQ(fetch(sum.data(), 1)[0], expected) << replay;
  }
  cuda_test::check(cudaGraphExecDestroy(executable));
  cuda_test::check(cudaGraphDestroy(graph));
  cuda_test::check(cudaStreamDestroy(stream));
}

TEST_F(CudaGeneric, Refusals) {
  const DeviceMemory<double> out(1);
  Scratch scratch;
  EXPECT_THROW(device::reduce(out.data(), out.data(), -1, 0.0, Plus(), scratch), foldline::InvalidArgument);
  EXPECT_THROW(scratch.at_least(std::size_t{1} << 50), foldline::DeviceError);
  device::reduce(out.data(), out.data(), 0, 7.0, Plus(), scratch);
  EXPECT_EQ(fetch(out.data(), 1)[0], 7) << "the next call works";
}

}  // namespace
