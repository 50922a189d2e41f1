// Exact matrix products against rational arithmetic, and large ones against dot().
#include <gmpxx.h>
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

/// A matrix in a piece of memory with gaps, whose elements need not be aligned.
class Matrix {
 public:
  Matrix(ElementType type, std::int64_t rows, std::int64_t columns, Random& random)
      : type_(type), rows_(rows), columns_(columns) {
    const std::int64_t gap = random.one_in(3) ? random.between(1, 5) : 0;
    row_stride_ = columns + gap;
    column_stride_ = 1;
    if (random.one_in(4)) {  // no stride is 1
      column_stride_ = random.between(2, 3);
      row_stride_ *= column_stride_;
    }
    if (random.coin()) {  // column-major
      row_stride_ = column_stride_;
      column_stride_ = (rows + gap) * row_stride_;
    }
    const std::int64_t size = foldline::size_of(type);
    const std::int64_t elements = std::max<std::int64_t>(rows - 1, 0) * row_stride_ +
                                  std::max<std::int64_t>(columns - 1, 0) * column_stride_ + 1;
    first_ = random.one_in(8) ? 1 : 0;                                                   // a byte off
    bytes_.assign(static_cast<std::size_t>(elements * size + first_), std::byte{0xff});  // NaNs
    if (random.one_in(4)) {  // from the last row up
      first_ += std::max<std::int64_t>(rows - 1, 0) * row_stride_ * size;
      row_stride_ = -row_stride_;
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  ElementType type() const { return type_; }
  MutableArrayView view() {
    return {bytes_.data() + first_, type_, {rows_, columns_}, {row_stride_, column_stride_}};
  }
  VectorView row(std::int64_t i) const { return {at(i, 0), type_, columns_, column_stride_}; }
  VectorView column(std::int64_t j) const { return {at(0, j), type_, rows_, row_stride_}; }
  std::uint64_t bits(std::int64_t i, std::int64_t j) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at(i, j), static_cast<std::size_t>(foldline::size_of(type_)));
    return bits;
  }
  double operator()(std::int64_t i, std::int64_t j) const { return oracle::decode(bits(i, j), type_); }
  void set(std::int64_t i, std::int64_t j, double value) {
    if (type_ == ElementType::float32) value = static_cast<double>(static_cast<float>(value));
    const std::uint64_t bits = oracle::encode(value, type_);
    std::memcpy(const_cast<std::byte*>(at(i, j)), &bits, static_cast<std::size_t>(foldline::size_of(type_)));
  }
  template <class Make>
  void fill(Make make) {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j) set(i, j, make());
  }
  /// How many bytes between the elements are not as they were.
  std::int64_t changed_gaps() const {
    std::vector<std::byte> rest = bytes_;
    const auto size = static_cast<std::size_t>(foldline::size_of(type_));
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j)
        std::memset(rest.data() + (at(i, j) - bytes_.data()), 0xff, size);
    return std::ranges::count_if(rest, [](std::byte byte) { return byte != std::byte{0xff}; });
  }

 private:
  const std::byte* at(std::int64_t i, std::int64_t j) const {
    return bytes_.data() + first_ + (i * row_stride_ + j * column_stride_) * foldline::size_of(type_);
  }

  ElementType type_;
  std::int64_t rows_, columns_, row_stride_ = 0, column_stride_ = 0, first_ = 0;
  std::vector<std::byte> bytes_;
};

enum class Kind : std::uint8_t {
  uniform,
  normal,
  whole,
  wide,
  subnormal,
  smallest,
  tie,
  cancelling,
  special,
  zeros
};

double element(Kind kind, Random& random) {
  const double sign = random.coin() ? 1 : -1;
  switch (kind) {
    case Kind::uniform:
      return random.real();
    case Kind::normal:
      return sign * std::sqrt(-2 * std::log(1 - random.real()));
    case Kind::whole:
      return static_cast<double>(random.between(-9, 9));
    case Kind::wide:
      return sign * std::ldexp(random.real(), static_cast<int>(random.between(-600, 500)));
    case Kind::subnormal:
      return sign * std::ldexp(random.real(), static_cast<int>(random.between(-1080, -1000)));
    case Kind::smallest:  // whose products are of the last places that there are
      return std::ldexp(static_cast<double>(random.between(-9, 9)),
                        static_cast<int>(random.between(-1074, -1050)));
    case Kind::tie:  // sums halfway between two floats or doubles, and next to it
      return sign * std::ldexp(1, static_cast<int>(random.between(-40, 40)));
    case Kind::cancelling:
      return random.coin() ? std::ldexp(sign, 45) : random.real();
    case Kind::special:
      if (random.one_in(40)) return sign * std::numeric_limits<double>::infinity();
      return random.one_in(60) ? std::numeric_limits<double>::quiet_NaN() : random.real();
    case Kind::zeros:
      return random.one_in(10) ? random.real() : sign * 0.0;
  }
  return 0;
}

/// alpha (row i of A) . (column j of B) + beta c, by rational arithmetic where all is finite.
std::uint64_t expected(const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t j, double alpha,
                       double beta, double c, ElementType type) {
  mpq_class total = 0;
  double special = 0;  // NaN and infinities: plain addition has their rules
  for (std::int64_t k = 0; alpha != 0 && k < a.columns(); ++k) {
    const double x = a(i, k), y = b(k, j);
    if (std::isfinite(x) && std::isfinite(y))
      total += mpq_class(x) * mpq_class(y);
    else
      special += x * y;
  }
  total *= mpq_class(alpha);
  special *= alpha;
  if (beta != 0 && std::isfinite(c)) total += mpq_class(beta) * mpq_class(c);
  if (beta != 0 && !std::isfinite(c)) special += beta * c;
  if (std::isnan(special)) return oracle::canonical_nan(type);
  if (std::isinf(special)) return oracle::infinity(type, special < 0);
  return oracle::round_quotient(total.get_num(), total.get_den(), 0, type);
}

/// FOLDLINE_TEST_CASES is for builds that are slow, or for more than the usual.
std::uint64_t cases_to_run() {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  return count == nullptr ? 600 : std::strtoull(count, nullptr, 10) / 10;
}

ElementType any_type(Random& random) { return random.coin() ? ElementType::float64 : ElementType::float32; }

TEST(MatrixProduct, IsTheRoundedRationalNumber) {
  for (std::uint64_t seed = 1; seed <= cases_to_run(); ++seed) {
    Random random(seed);
    const ElementType type = any_type(random);
    const bool cut = random.coin();  // with 16 rows and columns and more, slices are made
    const auto extent = [&] {
      return random.one_in(20) ? 0 : cut ? random.between(16, 36) : random.between(1, 20);
    };
    const std::int64_t m = extent(), n = extent(),
                       depth = random.one_in(6) ? random.between(0, 300) : extent();
    Matrix a(type, m, depth, random), b(type, depth, n, random),
        c(random.one_in(4) ? any_type(random) : type, m, n, random);
    const auto kind = static_cast<Kind>(random.between(0, 9));
    a.fill([&] { return element(random.one_in(30) ? Kind::wide : kind, random); });
    b.fill([&] { return element(kind, random); });
    const std::vector<double> factors = {0, 1, 1, 1, -1, 0.5, 3, 0x1p-1074, -1e300, 0.1};
    const double alpha = random.coin() ? 1 : random.pick(factors);
    const double beta = random.coin() ? 0 : random.pick(factors);
    if (beta != 0) c.fill([&] { return element(kind, random); });
    const Matrix before = c;
    Context context;
    context.threads = static_cast<int>(random.between(0, 3));
    matrix_product(a.view(), b.view(), c.view(), alpha, beta, context);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        ASSERT_EQ(c.bits(i, j), expected(a, b, i, j, alpha, beta, before(i, j), c.type()))
            << "seed " << seed << ", entry " << i << ", " << j << " of " << m << " x " << depth << " x " << n
            << ", kind " << static_cast<int>(kind) << ", alpha " << alpha << ", beta " << beta;
    ASSERT_EQ(c.changed_gaps(), 0) << "seed " << seed;
  }
}

/// Every `step`-th entry has the bits of dot().
void expect_dots(Matrix& a, Matrix& b, std::int64_t step, const std::string& what) {
  Random random(1);
  std::vector<std::uint64_t> first;
  for (const int threads : {1, 3}) {
    Matrix c(a.type(), a.rows(), b.columns(), random);
    Context context;
    context.threads = threads;
    matrix_product(a.view(), b.view(), c.view(), 1, 0, context);
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
    context.threads = static_cast<int>(random.between(0, 2));
    matrix_product(a.view(), b.view(), c.view(), alpha, beta, context);
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
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(floats.data(), {3, 3}), 1, 0, fast), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(x.data(), {3, 3})), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, MutableArrayView(y.data() + 11, {3, 3}, {-3, -1})), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, std::numeric_limits<double>::infinity()), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, 1, std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, 1, 0, {.threads = -1}), InvalidArgument);
  EXPECT_THROW(matrix_product(a, b, c, 1, 0, {.device = foldline::Device::cuda()}), InvalidArgument);
  EXPECT_EQ(z, std::vector<double>(12, 7));
  try {
    matrix_product(a, a, c);
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "matrix_product: A is 3 x 4, B 3 x 4, C 3 x 3; needed are m x k, k x n and m x n");
  }
}

}  // namespace
