// Exact matrix products against rational arithmetic, and large ones against dot().
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <vector>

#include "cases.hpp"
#include "foldline/error.hpp"
#include "foldline/matrix_product.hpp"
#include "foldline/operations.hpp"
#include "matrix_cases.hpp"

namespace {

using foldline::Accuracy;
using foldline::ArrayView;
using foldline::Context;
using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Layout;
using foldline::matrix_product;
using foldline::MatrixView;
using foldline::MutableArrayView;
using foldline::VectorView;
using generators::Random;

using matrix_cases::any_type;
using matrix_cases::element;
using matrix_cases::Kind;
using matrix_cases::Matrix;

/// FOLDLINE_TEST_CASES is for builds that are slow, or for more than the usual.
std::uint64_t cases_to_run() {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  return count == nullptr ? 600 : std::strtoull(count, nullptr, 10) / 10;
}

TEST(MatrixProduct, IsTheRoundedRationalNumber) {
  for (std::uint64_t seed = 1; seed <= cases_to_run(); ++seed)
    ASSERT_EQ(matrix_cases::check_random_product(seed, {}), "");
}

/// Every `step`-th entry has the bits of dot().
void expect_dots(Matrix& a, Matrix& b, std::int64_t step, const std::string& what) {
  Random random(1);
  std::vector<std::uint64_t> first;
  for (const int threads : {1, 3}) {
    Matrix c(a.type(), a.rows(), b.columns(), random);
    Context context;
    context.execution.threads = threads;
    matrix_product(a.view(), b.view(), c.view(), {}, context);
    std::vector<std::uint64_t> entries;
    for (std::int64_t i = 0; i < a.rows(); ++i)
      for (std::int64_t j = 0; j < b.columns(); ++j) entries.push_back(c.bits(i, j));
    if (threads > 1) {
      EXPECT_EQ(entries, first) << what << ", " << threads << " threads";
      continue;
    }
    first = entries;
    for (std::size_t e = 0; e < entries.size(); e += static_cast<std::size_t>(step)) {
      const auto i = static_cast<std::int64_t>(e) / b.columns();
      const auto j = static_cast<std::int64_t>(e) % b.columns();
      const double dot = foldline::dot<double>(a.row(i), b.column(j));
      const std::uint64_t expected =
          a.type() == ElementType::float64
              ? std::bit_cast<std::uint64_t>(dot)
              : std::bit_cast<std::uint32_t>(foldline::dot<float>(a.row(i), b.column(j)));
      ASSERT_EQ(entries[e], expected) << what << ", entry " << i << ", " << j;
    }
  }
}

TEST(MatrixProduct, OfManyTilesHasTheBitsOfDot) {
  struct Shape {
    std::int64_t m, depth, n, step;
  };
  // Around a tile of 512 and a stretch of 2048 terms; one row or column more than is added up directly.
  // (Small in the other directions: an emulated processor takes fifty times as long.)
  for (const Shape& shape : {Shape{512, 33, 17, 7},
                             {17, 20, 513, 7},
                             {1025, 17, 16, 11},
                             {20, 2048, 24, 5},
                             {17, 2049, 18, 5},
                             {16, 4097, 16, 7},
                             {16, 300, 16, 1},
                             {15, 300, 70, 3},
                             {1, 5000, 1, 1},
                             {700, 1, 1, 1}})
    for (const ElementType type : {ElementType::float64, ElementType::float32})
      for (const Kind kind : {Kind::uniform, Kind::normal, Kind::whole, Kind::wide}) {
        Random random(static_cast<std::uint64_t>(shape.m * 31 + static_cast<int>(kind)));
        Matrix a(type, shape.m, shape.depth, random), b(type, shape.depth, shape.n, random);
        a.fill([&] { return element(kind, random); });
        b.fill([&] { return element(kind, random); });
        std::ostringstream what;
        what << shape.m << " x " << shape.depth << " x " << shape.n << ", kind " << static_cast<int>(kind);
        expect_dots(a, b, shape.step, what.str());
      }
}

TEST(MatrixProduct, OfAnOrthogonalMatrixAndItsTransposeIsNearlyOne) {
  // Nearly everything cancels: no entry off the diagonal is settled by the leading slices.
  constexpr std::int64_t n = 96;
  Random random(1);
  Matrix a(ElementType::float64, n, n, random), b(ElementType::float64, n, n, random);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double x = std::sqrt(2.0 / n) * std::cos(3.141592653589793 * (static_cast<double>(i) + 0.5) *
                                                     (static_cast<double>(j) + 0.5) / n);
      a.set(i, j, x);
      b.set(j, i, x);
    }
  expect_dots(a, b, 1, "cosines");
}

TEST(MatrixProduct, OfARowThatNoSlicesHold) {
  constexpr std::int64_t n = 60;
  Random random(2);
  Matrix a(ElementType::float64, n, n, random), b(ElementType::float64, n, n, random);
  a.fill([&] { return random.real(); });
  b.fill([&] { return random.real(); });
  a.set(7, 3, 0x1p900);
  a.set(9, 9, 0x1p-1074);
  b.set(5, 11, 0x1p-700);
  for (std::int64_t i = 0; i < n; ++i) a.set(30, i, 0), b.set(i, 31, 0);
  expect_dots(a, b, 1, "some wide lines");
}

TEST(MatrixProduct, OfLongerLinesThanSlicesTake) {
  constexpr std::int64_t depth = 64 * 2048;
  for (const std::int64_t more : {0, 1}) {
    Random random(3);
    Matrix a(ElementType::float32, 16, depth + more, random),
        b(ElementType::float32, depth + more, 17, random);
    a.fill([&] { return random.real(); });
    b.fill([&] { return random.real() - 0.5; });
    expect_dots(a, b, 11, "long lines");
  }
}

TEST(MatrixProduct, OfTransposedViews) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6};  // 2 x 3
  std::vector<double> c(9);
  const MatrixView view(a.data(), 2, 3);
  EXPECT_EQ(view.transposed().rows(), 3);
  EXPECT_EQ(view.transposed().columns(), 2);
  matrix_product(view.transposed(), view, MutableArrayView(c.data(), {3, 3}));
  EXPECT_EQ(c, (std::vector<double>{17, 22, 27, 22, 29, 36, 27, 36, 45}));
  std::vector<double> d(4);
  matrix_product(view, view.transposed(), MutableArrayView(d.data(), {2, 2}));
  EXPECT_EQ(d, (std::vector<double>{14, 32, 32, 77}));
}

TEST(MatrixProduct, FastIsWithinItsErrorBound) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const ElementType type = any_type(random);
    const std::int64_t m = random.between(1, 90), n = random.between(1, 90), depth = random.between(0, 90);
    Matrix a(type, m, depth, random), b(type, depth, n, random), c(type, m, n, random);
    const Kind kind = random.coin() ? Kind::normal : Kind::uniform;
    a.fill([&] { return element(kind, random); });
    b.fill([&] { return element(kind, random); });
    const double alpha = random.coin() ? 1 : -0.75;
    const double beta = random.coin() ? 0 : 0.5;
    if (beta != 0) c.fill([&] { return element(kind, random); });
    const Matrix before = c;
    Context context;
    context.accuracy = Accuracy::fast;
    context.execution.threads = static_cast<int>(random.between(0, 2));
    matrix_product(a.view(), b.view(), c.view(), {.alpha = alpha, .beta = beta}, context);
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
            << "seed " << seed << ", entry " << i << ", " << j << ": " << c(i, j) << ", not " << exact;
      }
    ASSERT_EQ(c.changed_gaps(), 0) << "seed " << seed;
  }
}

TEST(MatrixProduct, RefusesWhatMakesNoSense) {
  std::vector<double> x(12, 1), y(12, 1), z(12, 7);
  std::vector<float> floats(12, 1);
  std::vector<int> whole(12, 1);
  const MatrixView a(x.data(), 3, 4), b(y.data(), 4, 3);
  const MutableArrayView c(z.data(), {3, 3});
  const Context fast = {.accuracy = Accuracy::fast};
  EXPECT_THROW(matrix_product(a, a, c), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(z.data(), {3, 4})), InvalidArgument);
  EXPECT_THROW(matrix_product(ArrayView(x), b, c), InvalidArgument);
  EXPECT_THROW(matrix_product(a, MatrixView(floats.data(), 4, 3), c), InvalidArgument);
  EXPECT_THROW(matrix_product(MatrixView(whole.data(), 3, 4), MatrixView(whole.data(), 4, 3), c),
               InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(floats.data(), {3, 3}), {}, fast), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(x.data(), {3, 3})), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(y.data() + 11, {3, 3}, {-3, -1})), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, {.alpha = std::numeric_limits<double>::infinity()}), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, {.beta = std::numeric_limits<double>::quiet_NaN()}), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, {}, {.execution = {.threads = -1}}), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, {}, {.execution = {.device = foldline::Device::cuda(999)}}),
               InvalidArgument);
  EXPECT_EQ(z, std::vector<double>(12, 7));
  try {
    matrix_product(a, a, c);
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "matrix_product: A is 3 x 4, B 3 x 4, C 3 x 3; needed are m x k, k x n and m x n");
  }
}

}  // namespace
