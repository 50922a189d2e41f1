// Integrals of tabulated data against rational numbers.
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <foldline/quadrature.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

using foldline::cumulative_trapezoid;
using foldline::simpson;
using foldline::trapezoid;

constexpr double inf = std::numeric_limits<double>::infinity();

double nearest(const mpq_class& q) {
  double best = q.get_d();
  for (const double other : {std::nextafter(best, -inf), std::nextafter(best, inf)})
    if (abs(mpq_class(other) - q) < abs(mpq_class(best) - q)) best = other;
  return best;
}

/// Of widely different sizes.
std::vector<double> random_samples(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> y(n);
  for (double& value : y)
    value = std::ldexp(std::uniform_real_distribution(-1.0, 1.0)(random), static_cast<int>(random() % 60));
  return y;
}

std::vector<double> random_places(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> x(n);
  double place = -3;
  for (double& value : x) value = place += std::uniform_real_distribution(0.01, 1.0)(random);
  return x;
}

mpq_class trapezoids(const std::vector<double>& y, const std::vector<double>& x, std::size_t n) {
  mpq_class sum = 0;
  for (std::size_t i = 0; i + 1 < n; ++i)
    sum += (mpq_class(x[i + 1]) - mpq_class(x[i])) * (mpq_class(y[i]) + mpq_class(y[i + 1])) / 2;
  return sum;
}

/// Parabolas through samples 0 1 2, 2 3 4, ..., and a last interval by the parabola through the last three.
mpq_class parabolas(const std::vector<double>& y, double dx) {
  mpq_class sum = 0;
  const std::size_t last = y.size() - 1;
  for (std::size_t i = 0; i + 2 <= last; i += 2)
    sum += (mpq_class(y[i]) + 4 * mpq_class(y[i + 1]) + mpq_class(y[i + 2])) / 3;
  if (last % 2 != 0)
    sum += (5 * mpq_class(y[last]) + 8 * mpq_class(y[last - 1]) - mpq_class(y[last - 2])) / 12;
  return sum * mpq_class(dx);
}

TEST(Samples, AtEqualDistancesAreRoundedOnce) {
  for (const std::size_t n : {2u, 3u, 4u, 5u, 10u, 11u, 1000u, 100'001u}) {
    const std::vector<double> y = random_samples(n, 7);
    std::vector<double> i(n);
    for (std::size_t k = 0; k < n; ++k) i[k] = static_cast<double>(k);
    EXPECT_EQ(trapezoid(y, 0.1), nearest(trapezoids(y, i, n) * mpq_class(0.1))) << n;
    if (n > 2) {
      EXPECT_EQ(simpson(y, 0.3), nearest(parabolas(y, 0.3))) << n;
    }
  }
}

TEST(Samples, AtAnyPlacesAreRoundedOnce) {
  for (const std::size_t n : {2u, 3u, 10u, 5000u}) {
    const std::vector<double> y = random_samples(n, 3), x = random_places(n, 4);
    EXPECT_EQ(trapezoid(y, x), nearest(trapezoids(y, x, n))) << n;
  }
}

TEST(Samples, PlacesMayFallAndRepeatForTrapezoids) {
  EXPECT_EQ(trapezoid(std::vector{1.0, 3.0}, std::vector{2.0, 0.0}), -4);
  EXPECT_EQ(trapezoid(std::vector{1.0, 3.0, 5.0}, std::vector{1.0, 1.0, 2.0}), 4);
}

// Parabolas integrate polynomials of degree 2 exactly, wherever the samples are.
TEST(Samples, ParabolasAreExactForParabolas) {
  for (const std::size_t n : {3u, 4u, 5u, 8u, 1001u, 1002u}) {
    const std::vector<double> x = random_places(n, 5);
    std::vector<double> y;
    for (const double place : x) y.push_back(3 * place * place - 2 * place + 1);
    const auto primitive = [](double t) { return t * t * t - t * t + t; };
    const double exact = primitive(x.back()) - primitive(x.front());
    EXPECT_NEAR(simpson(y, x) / exact, 1, 1e-14) << n;
  }
}

TEST(Samples, ParabolasAtEqualDistancesAreTheSameEitherWay) {
  for (const std::size_t n : {3u, 4u, 2000u, 2001u}) {
    std::vector<double> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i) / 8, y[i] = std::exp(-x[i]);
    EXPECT_NEAR(simpson(y, x) / simpson(y, 0.125), 1, 1e-15) << n;
  }
}

// Scaling by powers of two scales the integral, also where a double holds no weight, or only some bits of it.
TEST(Samples, ParabolasAtPlacesOfAnySize) {
  const std::vector<double> whole = {0, 1, 3, 4, 8, 9, 10, 13, 15};
  for (const std::size_t n : {3u, 4u, 8u, 9u})
    for (const int scale : {-1074, -1070, -1000, -520, -250, -249, 245, 246, 520, 1000, 1019, 1020}) {
      std::vector<double> x, y, scaled;
      for (std::size_t i = 0; i < n; ++i) {
        x.push_back(whole[i]);
        y.push_back(1 + std::sin(static_cast<double>(i)));
        scaled.push_back(
            std::ldexp(whole[i] - (scale > 1000 ? 8 : 0), scale));  // further apart than the largest double
      }
      const int back = scale < -100 ? 600 : scale > 100 ? -600 : 0;
      const double expected = std::ldexp(simpson(y, x), scale + back);
      for (double& sample : y) sample = std::ldexp(sample, back);
      EXPECT_EQ(simpson(y, scaled), expected) << n << " " << scale;
    }
  const std::vector<double> repeated = {0x1p1023, -0x1p1023, 0x1p1023},
                            mixed = {0, 0x1p-1000, 0x1p-999, 0x1p600, 0x1p601 - 0x1p-999};
  EXPECT_THROW((void)simpson(std::vector{1, 2, 3}, repeated), foldline::InvalidArgument);
  EXPECT_EQ(simpson(std::vector<double>(5, 0x1p1000), mixed), inf);
  EXPECT_EQ(simpson(std::vector<double>(5, 1), mixed), 0x1p601);
  EXPECT_EQ(simpson(std::vector{inf, 1.0, 1.0, 1.0, 1.0}, mixed), inf);
}

TEST(Samples, OfAnyTypeAndStride) {
  const std::vector<float> y = {1, 9, 2, 9, 4, 9};
  EXPECT_EQ(trapezoid(foldline::VectorView(y.data(), 3, 2), 0.5), 2.25);
  const std::vector<int> integers = {0, 1, 4, 9, 16};
  EXPECT_EQ(simpson(integers, 1.0), 64.0 / 3);
  EXPECT_EQ(trapezoid(integers, integers), 0.5 + 7.5 + 32.5 + 87.5);
  const std::vector<foldline::half> halves(3, foldline::half(0.5f));
  std::vector<double> out(3);
  cumulative_trapezoid(halves, 2.0, out);
  EXPECT_EQ(out, (std::vector{0.0, 1.0, 2.0}));
}

TEST(Samples, CumulativeIntegralsAreRoundedOnceEach) {
  const std::size_t n = 3000;
  const std::vector<double> y = random_samples(n, 11), x = random_places(n, 12);
  std::vector<double> equal(n), any(n);
  cumulative_trapezoid(y, 0.1, equal);
  cumulative_trapezoid(y, x, any);
  mpq_class sum = 0, sum_any = 0;
  EXPECT_EQ(equal[0], 0);
  for (std::size_t i = 1; i < n; ++i) {
    const mpq_class both = mpq_class(y[i - 1]) + mpq_class(y[i]);
    sum += both * mpq_class(0.1) / 2;
    sum_any += both * (mpq_class(x[i]) - mpq_class(x[i - 1])) / 2;
    ASSERT_EQ(equal[i], nearest(sum)) << i;
    ASSERT_EQ(any[i], nearest(sum_any)) << i;
  }
  EXPECT_EQ(equal.back(), trapezoid(y, 0.1));
  EXPECT_EQ(any.back(), trapezoid(y, x));
}

/// Correctly rounded, subnormal or not.
double nearest_of_any_size(const mpq_class& q) {
  const mpq_class scaled = abs(q) * mpq_class(mpz_class(1) << 1074);
  if (scaled >= mpq_class(mpz_class(1) << 53)) return nearest(q);
  const mpz_class twice = 2 * scaled.get_num() / scaled.get_den();
  mpz_class units = twice / 2;
  const mpq_class rest = scaled - mpq_class(units);
  if (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && units % 2 != 0)) ++units;
  return std::copysign(std::ldexp(units.get_d(), -1074), q < 0 ? -1.0 : 1.0);
}

TEST(Samples, CumulativeIntegralsHaveAllBitsOfTheirProducts) {
  for (unsigned seed = 1; seed <= 100; ++seed)
    for (const int scale : {-1074, -600, -565, -530, -300}) {
      const std::size_t n = 20;
      std::vector<double> y = random_samples(n, seed), x = random_samples(n, seed + 1000), equal(n), any(n);
      for (double& sample : y) sample = std::ldexp(sample, scale);
      for (double& place : x) place = std::ldexp(place, scale / 2 - 250);
      cumulative_trapezoid(y, x[0], equal);
      cumulative_trapezoid(y, x, any);
      mpq_class sum = 0;
      for (std::size_t i = 1; i < n; ++i) {
        sum += (mpq_class(y[i - 1]) + mpq_class(y[i])) * mpq_class(x[0]) / 2;
        ASSERT_EQ(equal[i], nearest_of_any_size(sum)) << seed << " " << scale << " " << i;
        ASSERT_EQ(any[i], nearest_of_any_size(trapezoids(y, x, i + 1))) << seed << " " << scale << " " << i;
      }
    }
  // 3/4 of the smallest number, once and twice; a tie but for a product of 2^-1200.
  std::vector<double> out(3);
  cumulative_trapezoid(std::vector<double>(3, 0x1p-537), 0.75 * 0x1p-537, out);
  EXPECT_EQ(out, (std::vector{0.0, 0x1p-1074, 0x1p-1073}));
  cumulative_trapezoid(std::vector{2.0, 0x1p-52, 0x1p-1000}, std::vector{0.0, 1.0, 1 + 0x1p-52}, out);
  EXPECT_EQ(out[2], trapezoid(std::vector{2.0, 0x1p-52, 0x1p-1000}, std::vector{0.0, 1.0, 1 + 0x1p-52}));
}

TEST(Samples, CumulativeIntegralsOfWhatFadesAway) {
  const std::size_t n = 2000;
  std::vector<double> y(n), x = random_places(n, 3), out(n), any(n);
  for (const bool begins_small : {false, true}) {  // then the first results have few bits
    for (std::size_t i = 0; i < n; ++i) {
      const double t = 40.0 * static_cast<double>(begins_small ? n - 1 - i : i) / static_cast<double>(n);
      y[i] = std::exp(-t * t);
    }
    cumulative_trapezoid(y, 0.1, out);
    cumulative_trapezoid(y, x, any);
    mpq_class sum = 0, sum_any = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const mpq_class both = (mpq_class(y[i - 1]) + mpq_class(y[i])) / 2;
      sum += both * mpq_class(0.1);
      sum_any += both * (mpq_class(x[i]) - mpq_class(x[i - 1]));
      ASSERT_EQ(out[i], nearest_of_any_size(sum)) << i;
      ASSERT_EQ(any[i], nearest_of_any_size(sum_any)) << i;
    }
    std::vector<double> broken = y, before(n);
    broken[1500] = inf;
    cumulative_trapezoid(broken, x, before);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(before[i], i < 1500 ? any[i] : inf) << i;
  }
}

TEST(Samples, CumulativeIntegralsComeBackFromBeyondDoubles) {
  std::vector<double> out(4);
  cumulative_trapezoid(std::vector{1e308, 1e308, -1e308, -1e308}, 4.0, out);
  EXPECT_EQ(out, (std::vector<double>{0, inf, inf, 0}));
  cumulative_trapezoid(std::vector(4, 0x1p-100), std::vector{-0x1p1023, 0x1p1023, -0x1p1023, 0.0}, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0x1p924, 0, 0x1p923}));
}

TEST(Samples, CumulativeIntegralsAtIntegersOf64Bits) {
  std::vector<std::int64_t> x, y;
  std::mt19937_64 random(9);
  for (int i = 0; i < 600; ++i)
    x.push_back(static_cast<std::int64_t>(random())), y.push_back(static_cast<std::int64_t>(random()));
  std::vector<double> out(x.size());
  cumulative_trapezoid(y, x, out);
  mpq_class sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    sum += mpq_class(mpz_class(mpz_class(x[i]) - x[i - 1]) * mpz_class(mpz_class(y[i]) + y[i - 1])) / 2;
    ASSERT_EQ(out[i], nearest(sum)) << i;
  }
  EXPECT_EQ(out.back(), trapezoid(y, x));
}

TEST(Samples, FewOrNone) {
  const std::vector<double> none, one = {5}, two = {1, 2};
  EXPECT_EQ(trapezoid(none, 1.0), 0);
  EXPECT_EQ(trapezoid(one, one), 0);
  EXPECT_EQ(simpson(two, 2.0), 3);
  std::vector<double> out;
  cumulative_trapezoid(none, 1.0, out);
}

TEST(Samples, DoublesNeedNotHoldTheSums) {
  std::vector<double> y = random_samples(700, 5), x = random_places(y.size(), 6);
  for (double& sample : y) sample = std::ldexp(sample, 1024 - 60);
  for (double& place : x) place += 0x1p40;
  EXPECT_EQ(trapezoid(y, x), nearest(trapezoids(y, x, y.size())));
  const std::vector<double> large = {0x1.8p1023, 0x1.ffffffffffffp1023, 0x1p1023, -0x1p1000};
  const std::vector<double> places = {0x1p200, 0x1p200 * 1.5, 0x1p201, 0x1p202}, equal = {0, 0.25, 0.5, 0.75};
  EXPECT_EQ(trapezoid(large, places), inf);  // as it is
  for (std::size_t n = 2; n <= large.size(); ++n) {
    const std::vector<double> first(large.begin(), large.begin() + static_cast<std::ptrdiff_t>(n));
    const std::vector<double> at(equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(trapezoid(first, 0.25), nearest(trapezoids(first, equal, n)));
    EXPECT_EQ(trapezoid(first, at), nearest(trapezoids(first, equal, n)));
    if (n > 2) {
      EXPECT_EQ(simpson(first, 0.25), nearest(parabolas(first, 0.25)));
    }
  }
  EXPECT_EQ(trapezoid(std::vector<double>(1000, 0x1p1023), 0x1p-1074), 999 * 0x1p-51);
  EXPECT_EQ(trapezoid(std::vector<double>(1000, -0x1p1023), 1), -inf);
}

TEST(Samples, CumulativeIntegralsAreNotDoubledOnTheWay) {
  const std::vector<double> large = {0x1.8p1023, 0x1.ffffffffffffp1023, 0x1p1000},
                            tiny = {0x1p-1074, 0x1p-1073, 0x1p-1022};
  std::vector<double> out(3);
  cumulative_trapezoid(large, 0.5, out);
  EXPECT_EQ(out[1], trapezoid(std::vector(large.begin(), large.begin() + 2), 0.5));
  EXPECT_EQ(out[2], trapezoid(large, 0.5));
  EXPECT_LT(out[2], inf);
  cumulative_trapezoid(large, 0x1p-1074, out);
  EXPECT_EQ(out[2], trapezoid(large, 0x1p-1074));
  cumulative_trapezoid(tiny, 1.25, out);  // 15/8 and 1.25 * 2^51 + 35/8 times 2^-1074
  EXPECT_EQ(out[1], 0x1p-1073);
  EXPECT_EQ(out[2], trapezoid(tiny, 1.25));
}

TEST(Samples, ProductsMayHaveBitsThatNoDoubleHas) {
  const auto nearest_subnormal = [](const mpq_class& q) {  // nearest() would double-round
    mpz_class twice = q.get_num() << 1075;
    twice /= q.get_den();  // towards 0; exact here or sticky enough, as no case is within 2^-1075 of a tie
    return std::ldexp(mpz_class((abs(twice) + 1) / 2).get_d(), -1074) * (q < 0 ? -1 : 1);
  };
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::vector<double> y = random_samples(5, seed), x = random_samples(5, seed + 1000);
    for (double& sample : y) sample = std::ldexp(sample, -590);
    for (double& place : x) place = std::ldexp(place, -590);
    EXPECT_EQ(trapezoid(y, x), nearest_subnormal(trapezoids(y, x, y.size()))) << seed;
  }
  // A tie but for a product of 2^-1200.
  const std::vector<double> x = {0, 1, 1 + 0x1p-52}, y = {2, 0x1p-52, 0x1p-1000};
  EXPECT_EQ(trapezoid(y, x), nearest(trapezoids(y, x, x.size())));
  const std::vector<double> places = {0, 0x1p-600, 1, 2}, samples = {0x1p-600, 0, 2, 0x1p-52};
  EXPECT_EQ(trapezoid(samples, places), nearest(trapezoids(samples, places, places.size())));
  EXPECT_EQ(trapezoid(std::vector<double>(3, 0), std::vector<double>{0, 0x1p-600, 1}), 0);
}

TEST(Samples, ThatAreNotFiniteShow) {
  EXPECT_TRUE(std::isnan(trapezoid(std::vector{1.0, std::nan(""), 2.0}, 1.0)));
  EXPECT_EQ(trapezoid(std::vector{1.0, inf, 2.0}, 1.0), inf);
  for (const std::vector<double>& y : {std::vector{1.0, 2.0, inf}, std::vector{inf, 2.0, 1.0}}) {
    EXPECT_EQ(trapezoid(y, 1.0), inf);
    EXPECT_EQ(simpson(y, 1.0), inf);
    EXPECT_EQ(simpson(y, -1.0), -inf);
  }
}

// Each trapezoid by IEEE 754, as numpy.trapezoid adds them.
TEST(Samples, ThatAreNotFiniteAtAnyPlaces) {
  const double nan = std::nan("");
  const std::vector<double> places = {-3, -2, -1, 0, 0, 0.5, 1, 2, inf, -inf, nan};
  const std::vector<double> values = {-2, -1, 0, 1, 2, 3, inf, -inf, nan};
  std::mt19937_64 random(3);
  int infinite = 0, undefined = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> x(2 + random() % 4), y(x.size()), out(x.size());
    for (double& place : x) place = places[random() % (random() % 2 ? 8 : places.size())];
    for (double& sample : y) sample = values[random() % (random() % 2 ? 6 : values.size())];
    cumulative_trapezoid(y, x, out);
    double sum = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      sum += (x[i] - x[i - 1]) * (y[i - 1] + y[i]) / 2;
      ASSERT_EQ(std::isnan(out[i]), std::isnan(sum));
      if (!std::isnan(sum)) {
        ASSERT_EQ(out[i], sum);
      }
    }
    infinite += std::isinf(sum);
    undefined += std::isnan(sum);
    const double result = trapezoid(y, x);
    ASSERT_EQ(std::isnan(result), std::isnan(sum));
    if (!std::isnan(sum)) {
      ASSERT_EQ(result, sum);
    }
  }
  EXPECT_GT(std::min(infinite, undefined), 300);
}

TEST(Samples, ArgumentsAreChecked) {
  const std::vector<double> two = {1, 2}, three = {1, 2, 3}, repeated = {1, 1, 2};
  std::vector<double> out(3);
  std::vector<float> floats(3);
  EXPECT_THROW((void)trapezoid(two, three), foldline::InvalidArgument);
  EXPECT_THROW((void)trapezoid(three, inf), foldline::InvalidArgument);
  EXPECT_THROW((void)simpson(three, repeated), foldline::InvalidArgument);
  EXPECT_THROW((void)trapezoid(foldline::VectorView(static_cast<double*>(nullptr), 3), 1.0),
               foldline::InvalidArgument);
  EXPECT_THROW(cumulative_trapezoid(two, 1.0, out), foldline::InvalidArgument);
  EXPECT_THROW(cumulative_trapezoid(three, 1.0, floats), foldline::InvalidArgument);
}

}  // namespace
