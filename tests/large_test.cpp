// Lengths at which a counter that is too narrow wraps. At most about 1.1 GiB of memory at a time.
#include <gtest/gtest.h>
#include <foldline/generic.hpp>

#include <cmath>

#include "cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using foldline::VectorView;

constexpr Context one_thread = {.execution = {.threads = 1}};

TEST(Large, BinsDoNotWrapAt2To27) {
  // 0.9999 * 2^k is the worst case of a bin: every deposit gains almost all that a count can gain.
  constexpr int log_size = 27;
  constexpr std::int64_t size = std::int64_t{1} << log_size;
  std::vector<double> x(static_cast<std::size_t>(size));
  for (const int exponent : {0, 700}) {
    const double value = std::ldexp(0.9999, exponent);
    std::fill(x.begin(), x.end(), value);
    EXPECT_EQ(foldline::sum(x, one_thread), std::ldexp(value, log_size));
    EXPECT_EQ(foldline::vector_abs_sum(x, one_thread), std::ldexp(value, log_size));
    EXPECT_EQ(foldline::mean(x, one_thread), value);
    EXPECT_EQ(foldline::variance(x, {}, one_thread), 0);
    std::fill(x.begin(), x.end(), -value);
    EXPECT_EQ(foldline::sum(x, one_thread), -std::ldexp(value, log_size));
  }
  // sqrt(2^26 v^2) = 2^13 v, on a prefix of an even power of two.
  const VectorView half(x.data(), size / 2);
  EXPECT_EQ(foldline::vector_two_norm(half, one_thread), std::ldexp(0.9999, 700 + 13));
  x.back() = 0x1p-1074;
  x.front() = std::ldexp(0.9999, 700) * 3;
  oracle::BigIntegers big;
  big.load(std::vector<double>{x.front(), x.back()});
  oracle::BigIntegers one;
  one.load(std::vector<double>{x[1]});
  const mpz_class total = big.sum() + one.sum() * (size - 2);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(foldline::sum(x, one_thread)),
            oracle::round(total < 0, abs(total), oracle::BigIntegers::unit, false, ElementType::float64));
  for (const foldline::Target target : foldline::available_targets()) {
    std::fill(x.begin(), x.end(), 0.9999);
    EXPECT_EQ(foldline::sum(x, Context{.execution = {.threads = 1, .target = target}}),
              std::ldexp(0.9999, log_size))
        << name_of(target);
  }
}

TEST(Large, FloatsAndHalves) {
  constexpr std::int64_t size = (std::int64_t{1} << 27) + 3;
  {
    const std::vector<float> x(static_cast<std::size_t>(size), 0.9999f);
    const double expected = static_cast<double>(0.9999f) * static_cast<double>(size);  // 52 bits: exact
    EXPECT_EQ(foldline::sum<double>(x, one_thread), expected);
    EXPECT_EQ(foldline::sum(x, one_thread), static_cast<float>(expected));
    EXPECT_EQ(foldline::mean(x, one_thread), 0.9999f);
    EXPECT_EQ(foldline::variance(x, {}, one_thread), 0);
    EXPECT_EQ(foldline::sum<double>(x, Context{.execution = {.threads = 3}}), expected);
  }
  const foldline::half value(0.9995f);
  const std::vector<foldline::half> x(static_cast<std::size_t>(size), value);
  const double one = static_cast<double>(static_cast<float>(value));
  EXPECT_EQ(foldline::sum<double>(x, one_thread), one * static_cast<double>(size));
  EXPECT_EQ(foldline::dot<double>(x, x, one_thread), one * one * static_cast<double>(size));
}

TEST(Large, BeyondTheCapacityOfABin) {
  // 2^23 deposits are what an int64 count takes.
  generators::Random random(61);
  oracle::BigIntegers big;
  for (const std::int64_t size :
       {(std::int64_t{1} << 23) - 1, (std::int64_t{1} << 23) + 1, std::int64_t{20'000'003}})
    for (const ElementType type : {ElementType::float32, ElementType::float64}) {
      const bool wild = type == ElementType::float64 && size % 4 == 1;
      const generators::Data data = generators::generate(
          wild ? generators::Generator::all_exponents : generators::Generator::normal, type, size, random);
      cases::with_type(type, [&]<class T>(T) {
        if constexpr (sizeof(T) >= 4) {
          const std::vector<T> x(data.x.begin(), data.x.end()), y(data.y.begin(), data.y.end());
          big.load(data.x, data.y);
          for (const Operation operation :
               {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
                Operation::mean, Operation::variance, Operation::dot, Operation::weighted_mean})
            for (const int threads : {1, 0})
              EXPECT_EQ(cases::call(operation, VectorView(x), VectorView(y), type, 0,
                                    {.execution = {.threads = threads}}),
                        big.result(operation, type))
                  << name_of(operation) << " of " << size << ' ' << name_of(type) << ", threads " << threads;
        }
      });
    }
}

TEST(Large, MoreElementsThanFit32Bits) {
  // One element seen 2^31 + 5 times: every index beyond an int.
  constexpr std::int64_t size = (std::int64_t{1} << 31) + 5;
  const foldline::half value(3.0f);
  const VectorView x(&value, size, 0);
  EXPECT_EQ(foldline::sum<double>(x), 3.0 * static_cast<double>(size));
  EXPECT_EQ(foldline::minmax(x).maximum, 3.0);
}

TEST(Large, GenericCountsBeyond32Bits) {
  const auto f = [](std::int64_t i) { return i; };
  const auto larger = [](std::int64_t a, std::int64_t b) { return a < b ? b : a; };
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 5;
  EXPECT_EQ(foldline::generic::transform_reduce(n, std::int64_t{-1}, larger, f), n - 1);
}

}  // namespace
