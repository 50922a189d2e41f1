// Matrix products on a GPU: exact ones have the bits of rational arithmetic, and of the CPU; fast ones are
// within their error bound, by cuBLAS and without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "foldline/matrix_product.hpp"
#include "gpu_test.hpp"
#include "matrix_cases.hpp"

namespace {

using cuda_test::check;
using foldline::Accuracy;
using foldline::Context;
using foldline::Device;
using foldline::ElementType;
using foldline::matrix_product;
using generators::Random;
using matrix_cases::element;
using matrix_cases::Kind;
using matrix_cases::Matrix;

class CudaMatrixProduct : public cuda_test::GpuTest {};

int random_cases() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text == nullptr ? 2000 : std::max(1, std::atoi(text) / 2);
}

TEST_F(CudaMatrixProduct, IsTheRoundedRationalNumber) {
  for (int seed = 1; seed <= random_cases(); ++seed)
    ASSERT_EQ(matrix_cases::check_random_product(static_cast<std::uint64_t>(seed),
                                                 {.execution = {.device = Device::cuda()}}),
              "");
}

std::vector<std::uint64_t> bits_of(const Matrix& matrix) {
  std::vector<std::uint64_t> bits;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    for (std::int64_t j = 0; j < matrix.columns(); ++j) bits.push_back(matrix.bits(i, j));
  return bits;
}

/// Exact, from the device's memory and from the host's, against the CPU.
void expect_bits_of_the_cpu(Matrix& a, Matrix& b, double alpha, double beta, const std::string& what) {
  Random random(1);
  Matrix before(a.type(), a.rows(), b.columns(), random);
  if (beta != 0) before.fill([&] { return random.real(); });
  Matrix on_cpu = before;
  matrix_product(a.view(), b.view(), on_cpu.view(), {.alpha = alpha, .beta = beta});
  const std::vector<std::uint64_t> expected = bits_of(on_cpu);
  for (const bool from_host : {false, true}) {
    const Device memory = from_host ? Device{} : Device::cuda();
    Matrix c = before;
    matrix_product(a.view(memory), b.view(memory), c.view(memory), {.alpha = alpha, .beta = beta},
                   {.execution = {.device = Device::cuda()}});
    c.fetch();
    const std::vector<std::uint64_t> actual = bits_of(c);
    const auto [x, y] = std::ranges::mismatch(actual, expected);
    ASSERT_EQ(x, actual.end()) << what << (from_host ? ", from the host" : "") << ": entry "
                               << (x - actual.begin()) << " is " << cases::hex(*x) << ", not "
                               << cases::hex(*y);
    ASSERT_EQ(c.changed_gaps(), 0) << what;
  }
}

TEST_F(CudaMatrixProduct, HasTheBitsOfTheCpu) {
  struct Shape {
    std::int64_t m, depth, n;
  };
  // Around tiles of 16, 64, 128, 256 and 2048, stretches of 64 and 8192 terms, and 16 lines.
  for (const Shape& shape : {Shape{64, 64, 64},
                             {255, 65, 127},
                             {257, 63, 129},
                             {130, 1000, 257},
                             {2049, 70, 33},
                             {40, 30, 2050},
                             {16, 8192, 16},
                             {17, 8193, 20},
                             {33, 20000, 16},
                             {16, 300, 16},
                             {15, 300, 70},
                             {3, 70000, 2},
                             {1, 5000, 1},
                             {700, 1, 1},
                             {300, 1, 300}})
    for (const ElementType type : {ElementType::float64, ElementType::float32})
      for (const Kind kind : {Kind::uniform, Kind::normal, Kind::whole, Kind::wide, Kind::cancelling}) {
        Random random(static_cast<std::uint64_t>(shape.m * 31 + static_cast<int>(kind)));
        Matrix a(type, shape.m, shape.depth, random), b(type, shape.depth, shape.n, random);
        a.fill([&] { return element(kind, random); });
        b.fill([&] { return element(kind, random); });
        std::ostringstream what;
        what << shape.m << " x " << shape.depth << " x " << shape.n << ", kind " << static_cast<int>(kind);
        expect_bits_of_the_cpu(a, b, 1, 0, what.str());
        if (kind == Kind::normal) expect_bits_of_the_cpu(a, b, -0.75, 0.3, what.str() + ", alpha and beta");
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST_F(CudaMatrixProduct, OfAnOrthogonalMatrixAndItsTransposeIsNearlyOne) {
  // Nearly everything cancels: no entry off the diagonal is settled by the leading levels.
  constexpr std::int64_t n = 300;
  Random random(1);
  Matrix a(ElementType::float64, n, n, random), b(ElementType::float64, n, n, random);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double x = std::sqrt(2.0 / n) * std::cos(3.141592653589793 * (static_cast<double>(i) + 0.5) *
                                                     (static_cast<double>(j) + 0.5) / n);
      a.set(i, j, x);
      b.set(j, i, x);
    }
  expect_bits_of_the_cpu(a, b, 1, 0, "cosines");
}

TEST_F(CudaMatrixProduct, WithSomeLinesThatAreWideOrNotFinite) {
  constexpr std::int64_t n = 150;
  Random random(2);
  Matrix a(ElementType::float64, n, n, random), b(ElementType::float64, n, n, random);
  a.fill([&] { return random.real(); });
  b.fill([&] { return random.real(); });
  a.set(7, 3, 0x1p900);
  a.set(9, 9, 0x1p-1074);
  a.set(12, 9, std::numeric_limits<double>::infinity());
  b.set(5, 11, 0x1p-700);
  b.set(5, 17, std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t i = 0; i < n; ++i) a.set(30, i, 0), b.set(i, 31, 0);
  expect_bits_of_the_cpu(a, b, 1, 0, "some wide lines");
  expect_bits_of_the_cpu(a, b, 2, -1, "some wide lines, alpha and beta");
}

/// A random fast product of matrices of the device's memory or the host's.
void expect_within_bound(std::uint64_t seed) {
  Random random(seed);
  const ElementType type = matrix_cases::any_type(random);
  const bool is_long = random.one_in(4);  // few entries of many terms are shared by several blocks
  const auto extent = [&] { return random.between(1, is_long ? 70 : 300); };
  const std::int64_t m = extent(), n = extent(),
                     depth = is_long ? random.between(500, 3000) : random.between(0, 200);
  Matrix a(type, m, depth, random), b(type, depth, n, random), c(type, m, n, random);
  const Kind kind = random.coin() ? Kind::normal : Kind::uniform;
  a.fill([&] { return element(kind, random); });
  b.fill([&] { return element(kind, random); });
  const double alpha = random.coin() ? 1 : -0.75, beta = random.coin() ? 0 : 0.5;
  if (beta != 0) c.fill([&] { return element(kind, random); });
  const Matrix before = c;
  const Device memory = random.one_in(4) ? Device{} : Device::cuda();
  matrix_product(a.view(memory), b.view(memory), c.view(memory), {.alpha = alpha, .beta = beta},
                 {.accuracy = Accuracy::fast, .execution = {.device = Device::cuda()}});
  c.fetch();
  const double unit = type == ElementType::float64 ? 0x1p-53 : 0x1p-24;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double exact = beta == 0 ? 0 : beta * before(i, j);
      double magnitude = std::abs(exact);
      for (std::int64_t k = 0; k < depth; ++k) {
        exact += alpha * a(i, k) * b(k, j);
        magnitude += std::abs(alpha * a(i, k) * b(k, j));
      }
      ASSERT_FALSE(!(std::abs(c(i, j) - exact) <= 2 * static_cast<double>(depth + 4) * unit * magnitude))
          << "seed " << seed << ", entry " << i << ", " << j << " of " << m << " x " << depth << " x " << n
          << ": " << c(i, j) << ", not " << exact;
    }
  ASSERT_EQ(c.changed_gaps(), 0) << "seed " << seed;
}

TEST_F(CudaMatrixProduct, FastIsWithinItsErrorBound) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    expect_within_bound(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(CudaMatrixProduct, FastIsWithinItsErrorBoundWithoutCublas) {
  // Whether there is a cuBLAS is found out once in a process.
  if (std::getenv("FOLDLINE_CUBLAS") != nullptr) GTEST_SKIP() << "FOLDLINE_CUBLAS is set already";
  const std::string command = "FOLDLINE_CUBLAS=off " +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              " --gtest_filter='*.FastIsWithinItsErrorBound' > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST_F(CudaMatrixProduct, OnAStreamAfterWhatIsInItAndFromManyThreads) {
  constexpr std::int64_t n = 200;
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint64_t>> results(4);
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&results, t] {
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      Random random(5);
      Matrix a(ElementType::float64, n, n, random), b(ElementType::float64, n, n, random);
      a.fill([&] { return random.real() - 0.5; });
      b.fill([&] { return random.real() - 0.5; });
      for (int i = 0; i < 20; ++i) {
        Matrix c(ElementType::float64, n, n, random);
        matrix_product(a.view(Device::cuda()), b.view(Device::cuda()), c.view(Device::cuda()), {},
                       {.execution = {.device = Device::cuda(), .stream = stream}});
        c.fetch();
        const std::vector<std::uint64_t> bits = bits_of(c);
        if (i == 0) results[t] = bits;
        if (bits != results[t]) results[t].clear();  // a repetition that differs
      }
      check(cudaStreamDestroy(stream));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(results[0].empty());
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
