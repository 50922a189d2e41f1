// Trapezoids and parabolas over samples in arrays.
#include "quadrature/samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "api/as_doubles.hpp"
#include "api/validate.hpp"
#include "foldline/accumulator.hpp"
#include "foldline/quadrature.hpp"
#include "quadrature/distances.hpp"
#include "quadrature/exact_trapezoids.hpp"
#include "quadrature/lowest_bit.hpp"
#include "quadrature/scaled_sum.hpp"

namespace foldline {

namespace quadrature {

void require_samples(std::string_view caller, const VectorView& y, double dx, const Context& context) {
  require_cpu(caller, context.execution);
  validate_view(caller, y, "y");
  if (!std::isfinite(dx)) refuse(caller, "the distance of the samples is not finite");
}

void require_samples(std::string_view caller, const VectorView& y, const VectorView& x,
                     const Context& context) {
  require_samples(caller, y, 0.0, context);
  validate_view(caller, x, "x");
  if (x.size() != y.size())
    refuse(caller, std::to_string(y.size()) + " samples at " + std::to_string(x.size()) +
                       " places; give one place for each");
}

}  // namespace quadrature

namespace {

using quadrature::require_samples;
using quadrature::scaled;

/// Adds y[first], y[first + step], ... to the sum.
void add_every(Accumulator& sum, const VectorView& y, std::int64_t first, std::int64_t step,
               const Context& context) {
  if (first >= y.size()) return;
  const std::int64_t count = (y.size() - first + step - 1) / step;
  sum.add(VectorView(y.at(first), y.type(), count, y.stride() * step), context);
}

void add_times(Accumulator& sum, const VectorView& y, std::int64_t i, int times) {
  for (int k = 0; k < times; ++k) sum.add(y.part(i, 1), {.execution = {.threads = 1}});
}

void subtract_one(Accumulator& sum, const VectorView& y, std::int64_t i) {
  std::array<double, 2> parts;
  split(y.part(i, 1), parts.data(), parts.data() + 1);
  sum.add(std::array{-parts[0], -parts[1]}, {.execution = {.threads = 1}});
}

/// The weights of three samples at distances h0 and h1 from one to the next, for their parabola: from the
/// first to the last sample, or from the second to the last.
using Weights = std::array<double, 3>;

Weights weights_of_pair(double h0, double h1) {
  const double h = h0 + h1;
  return {h / 6 * (2 - h1 / h0), h / 6 * (h / h0) * (h / h1), h / 6 * (2 - h0 / h1)};
}
Weights weights_of_last(double h0, double h1) {
  const double h = h0 + h1;
  return {-h1 * (h1 / h0) * (h1 / h) / 6, h1 * (h1 / h0 + 3) / 6, h1 * (2 * h1 + 3 * h0) / (6 * h)};
}

/// Adds up parabolas, block by block.
class Parabolas {
 public:
  Parabolas(const VectorView& y, const VectorView& x, const Context& context) : y_(y), x_(x) {
    context_ = {.execution = {.threads = 1, .target = context.execution.target}};
  }

  /// Over intervals [0, end), end even.
  void add_pairs(std::int64_t end) {
    for (std::int64_t first = 0; first < end; first += 2 * most_pairs)
      add(first, std::min(end - first, 2 * most_pairs) / 2, weights_of_pair);
  }
  /// Over the last interval.
  void add_last() { add(y_.size() - 3, 1, weights_of_last); }

  double result() const { return sum_.result(); }

 private:
  using WeightsOf = Weights (*)(double, double);

  void add(std::int64_t first, std::int64_t pairs, WeightsOf weights_of) {
    std::array<double, 2 * most_pairs> h, rest;
    quadrature::distances(x_.part(first, 2 * pairs + 1), h.data(), rest.data());
    std::array<double, 3 * most_pairs> weights;
    std::int64_t added = 0;
    const auto add_until = [&](std::int64_t pair) {
      if (added < pair)
        sum_.add(samples_of_pairs(first + 2 * added, pair - added),
                 VectorView(weights.data() + 3 * added, 3 * (pair - added)), context_);
      added = pair;
    };
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const auto i = static_cast<std::size_t>(pair);
      const double h0 = h[2 * i], h1 = h[2 * i + 1];
      const double least = std::min(std::abs(h0), std::abs(h1)), most = std::max(std::abs(h0), std::abs(h1));
      if (least >= 0x1p-250 && most <= 0x1p250 && h0 + h1 != 0) {
        std::ranges::copy(weights_of(h0, h1), &weights[3 * i]);
      } else {
        add_until(pair);
        add_unusual(first + 2 * pair, h0, h1, weights_of);
        added = pair + 1;
      }
    }
    add_until(pairs);
  }

  /// A pair of intervals of which doubles might not hold the weights, or what these are computed from.
  void add_unusual(std::int64_t first, double h0, double h1, WeightsOf weights_of) {
    int unit = 0;  // the exponent of that of distances and weights
    std::array<double, 3> high, low;
    if (!std::isfinite(h0) ||
        !std::isfinite(h1)) {  // of places that are further apart than the largest double
      split(x_.part(first, 3), high.data(), low.data());
      h0 = high[1] / 4 - high[0] / 4, h1 = high[2] / 4 - high[1] / 4, unit = 2;
    }
    if (h0 == 0 || h1 == 0 || h0 + h1 == 0) refuse_repeated(first);
    if (const double most = std::max(std::abs(h0), std::abs(h1)); std::isfinite(most)) {
      const int exponent = std::ilogb(most);
      h0 = std::ldexp(h0, -exponent), h1 = std::ldexp(h1, -exponent), unit += exponent;
    }
    const Weights weights = weights_of(h0, h1);
    split(y_.part(first, 3), high.data(), low.data());
    for (std::size_t i = 0; i < 3; ++i) {
      add_product(high[i], weights[i], unit);
      if (low[i] != 0) add_product(low[i], weights[i], unit);
    }
  }

  /// Adds y * weight * 2^unit, of which y takes a part of the unit, and the number of additions, if 2^unit *
  /// weight may be too large.
  void add_product(double y, double weight, int unit) {
    const int of_y = unit < 0 ? (std::abs(y) >= 0x1p-500 ? std::max(unit, -500) : 0)
                              : (std::abs(y) <= 0x1p500 ? std::min(unit, 500) : 0);
    const int of_weight = std::min(unit - of_y, 1020);
    for (int times = 1 << (unit - of_y - of_weight); times > 0; --times)
      sum_.add(std::array{std::ldexp(y, of_y)}, std::array{std::ldexp(weight, of_weight)}, context_);
  }

  /// The three samples of each pair of intervals; the last is the first of the next pair.
  VectorView samples_of_pairs(std::int64_t first, std::int64_t pairs) {
    const std::int64_t size = size_of(y_.type());
    for (std::int64_t i = 0; i < 3 * pairs; ++i)
      std::memcpy(&samples_[static_cast<std::size_t>(i * size)], y_.at(first + i / 3 * 2 + i % 3),
                  static_cast<std::size_t>(size));
    return {samples_.data(), y_.type(), 3 * pairs};
  }

  [[noreturn]] static void refuse_repeated(std::int64_t i) {
    throw InvalidArgument("simpson: two of the samples " + std::to_string(i) + " to " +
                          std::to_string(i + 2) + " are at the same place; use trapezoid, or leave one out");
  }

  static constexpr std::int64_t most_pairs = 256;  // at a time

  VectorView y_, x_;
  std::array<std::byte, 3 * most_pairs * sizeof(double)> samples_;
  Context context_;
  Accumulator sum_{Operation::dot};
};

/// Whether bits below 2^-1074, which are lost between accumulators, cannot change a result: half of `twice`,
/// rounded.
bool is_far_from_ties(double result, Accumulator twice) {
  if (!(std::abs(result) >= 0x1p-960)) return false;
  twice.add(std::array{-result}, std::array{2.0}, {.execution = {.threads = 1}});
  const double rest = std::abs(twice.result());
  const double ulp = std::nextafter(std::abs(result), HUGE_VAL) - std::abs(result);
  return rest != ulp && rest != ulp / 2;  // of a power of two the latter is half of a unit below
}

/// 2^result is a divisor of all of the numbers.
int unit_of(const VectorView& numbers) {
  constexpr std::int64_t block = 256;
  int unit = 1024;
  std::array<double, 2 * block> parts;
  for (std::int64_t first = 0; first < numbers.size(); first += block) {
    const std::int64_t count = std::min(block, numbers.size() - first);
    split(numbers.part(first, count), parts.data(), parts.data() + count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(2 * count); ++i) {
      if (parts[i] == 0 || !std::isfinite(parts[i])) continue;
      unit = std::min(unit, quadrature::lowest_bit(parts[i]));
    }
  }
  return unit;
}

/// The integral by trapezoids where doubles do not hold its sums, or some are not finite.
double wide_trapezoid(const VectorView& y, const VectorView& x) {
  constexpr std::int64_t block = 128;  // intervals
  quadrature::ExactTrapezoids trapezoids;
  std::array<double, block + 1> y_high, y_low, x_high, x_low;
  for (std::int64_t first = 0; first + 1 < y.size(); first += block) {
    const std::int64_t count = std::min(block + 1, y.size() - first);
    split(y.part(first, count), y_high.data(), y_low.data());
    split(x.part(first, count), x_high.data(), x_low.data());
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(count); ++i)
      trapezoids.add({x_high[i], x_low[i]}, {x_high[i + 1], x_low[i + 1]}, {y_high[i], y_low[i]},
                     {y_high[i + 1], y_low[i + 1]});
  }
  return trapezoids.integral();
}

}  // namespace

double trapezoid(const VectorView& y, double dx, const Context& context) {
  require_samples("trapezoid", y, dx, context);
  if (y.size() < 2) return 0;
  Accumulator sum(Operation::sum);
  sum.add(y.part(1, y.size() - 2), context);
  sum.merge(sum);
  add_times(sum, y, 0, 1);
  add_times(sum, y, y.size() - 1, 1);
  return scaled(sum, 0, dx, 2);
}

double trapezoid(const VectorView& y, const VectorView& x, const Context& context) {
  require_samples("trapezoid", y, x, context);
  const std::int64_t n = y.size() - 1;
  if (n < 1) return 0;
  // Twice the integral is the sum of x_(i+1) (y_i + y_(i+1)) less that of x_i (y_i + y_(i+1)); all products
  // x_i y_i but the first and the last cancel.
  Accumulator plus(Operation::dot), minus(Operation::dot);
  plus.add(x.part(1, n), y.part(0, n), context);
  plus.add(x.part(n, 1), y.part(n, 1), context);
  minus.add(x.part(0, n), y.part(1, n), context);
  minus.add(x.part(0, 1), y.part(0, 1), context);
  quadrature::subtract(plus, minus);
  const double result = scaled(plus, 0, 1, 2);
  const bool is_right =
      std::isfinite(result) && (is_far_from_ties(result, plus) || unit_of(y) + unit_of(x) >= -1074);
  return is_right ? result : wide_trapezoid(y, x);
}

double simpson(const VectorView& y, double dx, const Context& context) {
  require_samples("simpson", y, dx, context);
  if (y.size() < 3) return trapezoid(y, dx, context);
  // In twelfths: 4 16 8 16 8 ... 16 4, and for a last interval by itself -1 8 5.
  const std::int64_t last = y.size() - 1, pairs_end = last - last % 2;
  Accumulator sum(Operation::sum), odd(Operation::sum);
  const VectorView paired = y.part(0, pairs_end + 1);
  sum.add(paired.part(1, pairs_end - 1), context);
  add_every(odd, paired, 1, 2, context);
  sum.merge(odd);
  for (int twice = 0; twice < 3; ++twice) sum.merge(sum);
  add_times(sum, y, 0, 4);
  add_times(sum, y, pairs_end, 4);
  if (pairs_end != last) {
    subtract_one(sum, y, last - 2);
    add_times(sum, y, last - 1, 8);
    add_times(sum, y, last, 5);
  }
  return scaled(sum, 0, dx, 12);
}

double simpson(const VectorView& y, const VectorView& x, const Context& context) {
  require_samples("simpson", y, x, context);
  if (y.size() < 3) return trapezoid(y, x, context);
  const std::int64_t last = y.size() - 1;
  Parabolas parabolas(y, x, context);
  parabolas.add_pairs(last - last % 2);
  if (last % 2 != 0) parabolas.add_last();
  return parabolas.result();
}

}  // namespace foldline
