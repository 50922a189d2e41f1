// Nodes and weights against what defines them, in 300 bits.
#include <gtest/gtest.h>
#include <mpfr.h>
#include <foldline/quadrature.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "quadrature/kronrod.hpp"

namespace {

/// A number of 300 bits.
class Real {
 public:
  Real(double value = 0) {  // NOLINT(google-explicit-constructor): for arithmetic
    mpfr_init2(value_, 300);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }
  double rounded() const { return mpfr_get_d(value_, MPFR_RNDN); }

  friend Real operator+(const Real& a, const Real& b) { return by(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return by(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return by(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return by(mpfr_div, a, b); }

 private:
  template <class F>
  static Real by(F f, const Real& a, const Real& b) {
    Real result;
    f(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }
  mpfr_t value_;
};

double ulp_of(double x) {
  return std::nextafter(std::abs(x), std::numeric_limits<double>::infinity()) - std::abs(x);
}

struct Legendre {
  Real value, before;
};

Legendre legendre(int n, const Real& x) {
  Real before = 1, value = x;
  for (int j = 1; j < n; ++j) {
    const Real next = (Real(2.0 * j + 1) * x * value - Real(j) * before) / Real(j + 1);
    before = value;
    value = next;
  }
  return {value, before};
}

/// The zero of P_n next to x, by Newton's method, and its weight.
void expect_node(int n, double x, double weight) {
  Real exact = x;
  for (int step = 0; step < 6; ++step) {
    const Legendre p = legendre(n, exact);
    exact = exact - p.value * (Real(1) - exact * exact) / (Real(n) * (p.before - exact * p.value));
  }
  const double distance = std::abs((Real(x) - exact).rounded());
  EXPECT_LE(distance, 0.5000001 * ulp_of(x)) << n << " points, node " << x;
  const Real scaled = Real(n) * legendre(n, exact).before;
  const Real exact_weight = Real(2) * (Real(1) - exact * exact) / (scaled * scaled);
  EXPECT_LE(std::abs((Real(weight) - exact_weight).rounded()), 0.5000001 * ulp_of(weight))
      << n << " points, weight of " << x;
}

TEST(GaussLegendre, NodesAndWeightsAreRoundedCorrectly) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 10, 21, 64, 101, 500}) {
    const foldline::QuadratureNodes rule = foldline::gauss_legendre_nodes(n);
    ASSERT_EQ(rule.nodes.size(), static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      expect_node(n, rule.nodes[i], rule.weights[i]);
      if (i > 0) {
        EXPECT_LT(rule.nodes[i - 1], rule.nodes[i]);
      }
    }
  }
}

TEST(GaussLegendre, SomeOfThousandsOfPoints) {
  const foldline::QuadratureNodes rule = foldline::gauss_legendre_nodes(3001);
  for (const std::size_t i : {0u, 1u, 700u, 1499u, 1500u, 1501u, 3000u})
    expect_node(3001, rule.nodes[i], rule.weights[i]);
}

TEST(GaussLegendre, OrderIsChecked) {
  EXPECT_THROW((void)foldline::gauss_legendre_nodes(0), foldline::InvalidArgument);
  EXPECT_THROW((void)foldline::gauss_legendre_nodes(10'001), foldline::InvalidArgument);
}

/// The largest error of a rule with weights of Kronrod's or Gauss's over 1, x^2, ..., x^degree.
template <std::size_t N>
double worst_moment(const std::array<foldline::quadrature::KronrodPoint, N>& rule, int degree,
                    bool is_gauss) {
  double worst = 0;
  for (int power = 0; power <= degree; power += 2) {
    Real sum = 0;
    for (const auto& point : rule) {
      Real term = is_gauss ? point.gauss_weight : point.weight;
      for (int k = 0; k < power; ++k) term = term * Real(point.node);
      sum = sum + term * Real(point.node == 0 ? 1 : 2);
    }
    worst = std::max(worst, std::abs((sum - Real(2) / Real(power + 1)).rounded()));
  }
  return worst;
}

// A rule of n + 1 points beside n of Gauss has degree 3n + 1, and that makes it Kronrod's; Gauss's has 2n
// - 1.
TEST(GaussKronrod, DegreesAreThoseThatDefineTheRules) {
  using foldline::quadrature::kronrod_15, foldline::quadrature::kronrod_21;
  EXPECT_LE(worst_moment(kronrod_15, 22, false), 3e-16);
  EXPECT_LE(worst_moment(kronrod_15, 13, true), 3e-16);
  EXPECT_LE(worst_moment(kronrod_21, 31, false), 3e-16);
  EXPECT_LE(worst_moment(kronrod_21, 19, true), 3e-16);
  EXPECT_GE(worst_moment(kronrod_15, 24, false), 1e-12);
  EXPECT_GE(worst_moment(kronrod_21, 34, false), 1e-15);
}

}  // namespace
