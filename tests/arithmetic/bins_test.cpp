// Bins and slices, of one lane: when the checks say that a window held all terms, it did, and no addition has
// rounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/one_lane.hpp"
#include "arithmetic/windows.hpp"
#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

struct Deposited {
  bool in_range, nothing_left;
  mpz_class held;  // by the bins
  mpz_class left;  // over from all terms
};

template <int K, int Pipe>
Deposited deposit(const std::vector<double>& x, BinWindow window) {
  double bin[K];
  for (int k = 0; k < K; ++k) bin[k] = window.anchor(k);
  std::uint64_t range = 0, residual = 0;
  Deposited result{};
  for (const double term : x) {
    const double rest = one_lane::Deposit<0, K, Pipe>(term, bin, window.anchor(0), 1.0, range, residual);
    if (std::isfinite(rest)) result.left += big::of_double(rest);  // bins of terms beyond the window overflow
  }
  for (int k = 0; k < K; ++k)
    result.held +=
        big::scaled(static_cast<std::int64_t>(bits_of(bin[k]) - bits_of(window.anchor(k))), window.unit(k));
  result.in_range = (range >> fraction_bits) == 0;
  result.nothing_left = (residual << 1) == 0;
  return result;
}

mpz_class total(const std::vector<double>& x) {
  mpz_class sum = 0;
  for (const double term : x) sum += big::of_double(term);
  return sum;
}

/// As many terms as one block takes, below 2^(top + beyond), over `depth` binades; some vectors have terms of
/// few bits.
std::vector<double> terms_of(inputs::Random& random, int top, int depth, int beyond) {
  const bool one_sign = random.coin();
  const std::uint64_t cleared = random.coin() ? 0 : (std::uint64_t{1} << random.between(0, 52)) - 1;
  std::vector<double> x;
  for (int i = 0; i < deposits_per_block; ++i) {
    const int field =
        std::clamp(top - 1 + beyond + exponent_bias - random.between(0, depth), 0, infinite_field - 1);
    const std::uint64_t bits = bits_of(random.finite(field, field)) & ~cleared;
    x.push_back(from_bits(one_sign ? bits & ~sign_bit : bits));
  }
  return x;
}

template <int K, int Pipe>
void check_deposits() {
  inputs::Random random(20 * K + Pipe);
  int held = 0, misfits = 0;
  for (int round = 0; round < 3000; ++round) {
    const BinWindow window{random.between(0, 3) == 0
                               ? (random.coin() ? BinWindow::lowest_top : BinWindow::highest_top)
                               : random.between(BinWindow::lowest_top, BinWindow::highest_top)};
    const int depth = random.between(0, random.coin() ? 4 : BinWindow::width * K);
    const std::vector<double> fitting = terms_of(random, window.top, depth, 0);
    const Deposited all = deposit<K, Pipe>(fitting, window);
    ASSERT_TRUE(all.in_range) << "terms below 2^" << window.top;
    ASSERT_EQ(all.held + all.left, total(fitting));
    if (all.nothing_left) {
      ASSERT_EQ(all.left, 0);
      ++held;
    }
    // Terms beyond the window: it may hold them by luck, but must not say so when it does not.
    const std::vector<double> large = terms_of(random, window.top, depth, random.between(1, 8));
    const Deposited some = deposit<K, Pipe>(large, window);
    if (some.in_range && some.nothing_left) {
      ASSERT_EQ(some.held, total(large));
    } else {
      ++misfits;
    }
  }
  EXPECT_GT(held, 100);
  EXPECT_GT(misfits, 1000);
}

TEST(Bins, OneLevel) { check_deposits<1, 0>(); }
TEST(Bins, TwoLevels) { check_deposits<2, 0>(); }
TEST(Bins, ThreeLevels) { check_deposits<3, 0>(); }
TEST(Bins, FourLevels) { check_deposits<4, 0>(); }
TEST(Bins, AdditionsThroughTheMultiplier) {
  check_deposits<2, 1>();
  check_deposits<2, 2>();
  check_deposits<2, 4>();
  check_deposits<3, 7>();
}

TEST(Bins, TheLargestTermsOfOneSign) {
  for (int top = BinWindow::lowest_top; top <= BinWindow::highest_top; ++top) {
    const BinWindow window{top};
    for (const double sign : {1.0, -1.0}) {
      // The largest multiple of level 0's unit: a block of these fills the half binade but for 32 units.
      const double largest = sign * (power_of_two(top) - power_of_two(window.unit(0)));
      const std::vector<double> x(deposits_per_block, largest);
      const Deposited all = deposit<2, 0>(x, window);
      ASSERT_TRUE(all.in_range && all.nothing_left) << top;
      ASSERT_EQ(all.held, total(x));
      // Those up to 2^top round up, and then may leave the binade by a hair, which must show.
      const std::vector<double> beyond(deposits_per_block, std::nextafter(sign * power_of_two(top), 0));
      const Deposited some = deposit<2, 0>(beyond, window);
      if (some.in_range && some.nothing_left) {
        ASSERT_EQ(some.held, total(beyond));
      }
    }
  }
}

template <int S>
void check_split() {
  inputs::Random random(40 + S);
  int complete = 0;
  for (int round = 0; round < 20000; ++round) {
    const SliceWindow window{random.between(SliceWindow::lowest_top, SliceWindow::highest_top)};
    const int field = std::max(window.top - 1 + exponent_bias - random.between(0, SliceWindow::width * S), 0);
    const double x = random.finite(field, field);
    double splitter[S], slice[S];
    for (int k = 0; k < S; ++k) splitter[k] = window.splitter(k);
    std::uint64_t residual = 0;
    one_lane::Split<S, true>(x, splitter, slice, residual);
    mpz_class sum = 0;
    for (int k = 0; k < S; ++k) {
      const mpz_class value = big::of_double(slice[k]);
      sum += value;
      const bool is_multiple =
          mpz_divisible_2exp_p(value.get_mpz_t(), static_cast<mp_bitcnt_t>(window.unit(k) - big::unit)) != 0;
      if (k < S - 1) {
        ASSERT_TRUE(is_multiple);
        ASSERT_LE(abs(value), big::scaled(std::int64_t{1} << 23, window.unit(k))) << k;
      } else {
        ASSERT_EQ((residual << 1) == 0, is_multiple);
        complete += is_multiple ? 1 : 0;
      }
    }
    ASSERT_EQ(sum, big::of_double(x));
  }
  EXPECT_GT(complete, 100);
}

TEST(Slices, Two) { check_split<2>(); }
TEST(Slices, Three) { check_split<3>(); }
TEST(Slices, Four) { check_split<4>(); }

}  // namespace
