// Numbers of some 106 bits as unevaluated sums of two doubles (Dekker 1971): enough to round nodes and
// weights.
#pragma once

#include <cmath>

namespace foldline::quadrature {

struct DoubleDouble {
  double high = 0, low = 0;

  /// a + b, if |a| >= |b|.
  static DoubleDouble quick_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  /// a + b exactly (Knuth).
  static DoubleDouble sum(double a, double b) {
    const double high = a + b, part = high - a;
    return {high, (a - (high - part)) + (b - part)};
  }
  /// a * b exactly.
  static DoubleDouble product(double a, double b) {
    const double high = a * b;
    return {high, std::fma(a, b, -high)};
  }
  double rounded() const { return high + low; }

  friend DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble s = sum(a.high, b.high);
    const DoubleDouble t = sum(a.low, b.low);
    const DoubleDouble u = quick_sum(s.high, s.low + t.high);
    return quick_sum(u.high, u.low + t.low);
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble p = product(a.high, b.high);
    return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    const DoubleDouble rest = a - b * DoubleDouble{first};
    const double second = rest.high / b.high;
    const DoubleDouble last = rest - b * DoubleDouble{second};
    return quick_sum(first, second) + DoubleDouble{last.high / b.high};
  }
};

}  // namespace foldline::quadrature
