// Integrals up to each sample: prefix sums of exact products.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string>

#include "api/as_doubles.hpp"
#include "api/validate.hpp"
#include "foldline/quadrature.hpp"
#include "foldline/scan.hpp"
#include "quadrature/distances.hpp"
#include "quadrature/exact_trapezoids.hpp"
#include "quadrature/lowest_bit.hpp"
#include "quadrature/samples.hpp"

namespace foldline {

namespace {

constexpr std::int64_t block_size = 512;  // intervals
constexpr std::size_t most_terms =
    16;  // of an interval: (dx y_i + dx y_(i+1)) / 2, each dx, y and product two doubles

void put(const MutableVectorView& out, std::int64_t i, double value) {
  std::memcpy(out.at(i), &value, sizeof value);
}

TwoDoubles element(const VectorView& x, std::int64_t i) {
  TwoDoubles parts;
  split(x.part(i, 1), &parts.high, &parts.low);
  return parts;
}

void require_out(const VectorView& y, const MutableVectorView& out) {
  constexpr auto caller = "cumulative_trapezoid: ";
  if (out.size() != y.size())
    throw InvalidArgument(caller + std::to_string(y.size()) + " samples, " + std::to_string(out.size()) +
                          " results; give the output the size of the input");
  if (out.type() != ElementType::float64)
    throw InvalidArgument(std::string(caller) + "results are " + std::string(name_of(out.type())) +
                          "; they are float64 only");
  validate_view("cumulative_trapezoid", out, "out");
}

/// x * y / 2 as the sum of two terms. Returns whether it is: doubles may lack bits of it, or overflow.
bool set_product(double x, double y, double* terms) {
  const double half_x = std::abs(x) < 0x1p-1021 ? x : x / 2, half_y = std::abs(x) < 0x1p-1021 ? y / 2 : y;
  terms[0] = half_x * half_y;
  terms[1] = std::fma(half_x, half_y, -terms[0]);
  if (!std::isfinite(terms[0])) return false;
  if (std::abs(terms[0]) >= 0x1p-960 || x == 0 || y == 0) return true;
  return quadrature::lowest_bit(x) + quadrature::lowest_bit(y) > -1074;
}

/// By exact products, half of dx y_i and of dx y_(i+1), each as terms, for samples of 2^unit times their
/// size. Returns whether doubles hold all of the terms and each result is rounded once; if not, some may be
/// wrong.
template <class Distances>
bool scan_products(const VectorView& y, const Distances& distances, const MutableVectorView& out, int unit) {
  const double scale = std::ldexp(1, unit), back = 1 / scale;
  RunningScan scan(ScanKind::inclusive);
  std::array<double, block_size + 1> high, low;
  std::array<double, block_size> dx_high, dx_low;
  std::array<double, most_terms * block_size> terms;
  for (std::int64_t first = 0; first < y.size() - 1; first += block_size) {
    const std::int64_t n = std::min(block_size, y.size() - 1 - first);
    const bool are_wide = split(y.part(first, n + 1), high.data(), low.data());
    const bool are_far = distances(first, n, dx_high.data(), dx_low.data());
    double* next = terms.data();
    bool are_exact = true;
    const auto put_product = [&](double x, double sample) {
      are_exact = set_product(x, sample * scale, next) && are_exact;
      next += 2;
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      for (const std::size_t k : {i, i + 1}) {
        put_product(dx_high[i], high[k]);
        if (are_wide) put_product(dx_high[i], low[k]);
        if (are_far) put_product(dx_low[i], high[k]);
        if (are_wide && are_far) put_product(dx_low[i], low[k]);
      }
    if (!are_exact) return false;
    const std::span used(terms.data(), next);
    scan.next(used, used, {.execution = {.threads = 1}});
    const std::size_t of_interval = used.size() / static_cast<std::size_t>(n);
    for (std::int64_t i = 0; i < n; ++i) {
      const double scaled = used[of_interval * static_cast<std::size_t>(i + 1) - 1];
      const double size = std::abs(scaled * back);
      const bool is_normal = size >= 0x1p-1022 && size < HUGE_VAL;  // others might be rounded twice
      if (unit != 0 && scaled != 0 && !is_normal) return false;
      put(out, first + i + 1, scaled * back);
    }
  }
  return true;
}

/// Any trapezoids, each result from the exact sum. places(i) gives the ends of interval i, from any origin.
template <class Places>
void add_trapezoids(const VectorView& y, const Places& places, const MutableVectorView& out) {
  quadrature::ExactTrapezoids trapezoids;
  for (std::int64_t i = 0; i + 1 < y.size(); ++i) {
    const auto [begin, end] = places(i);
    trapezoids.add(begin, end, element(y, i), element(y, i + 1));
    put(out, i + 1, trapezoids.integral());
  }
}

/// distances(first, n, high, low) gives those of n samples to the next, and whether any needs two doubles;
/// places(i) the ends of interval i.
template <class Distances, class Places>
void integrate(const VectorView& y, const Distances& distances, const Places& places,
               const MutableVectorView& out) {
  if (y.size() == 0) return;
  put(out, 0, 0);
  if (scan_products(y, distances, out, 0)) return;
  const auto infinite_part = [&](std::int64_t i) {
    const auto [begin, end] = places(i);
    return quadrature::not_finite_part(begin, end, element(y, i), element(y, i + 1));
  };
  const std::int64_t last = y.size() - 1;
  std::int64_t finite = 0;  // intervals
  while (finite < last && infinite_part(finite) == 0) ++finite;
  const VectorView begin = y.part(0, finite + 1);
  // Samples that fade away have products with small bits.
  if ((finite == last || !scan_products(begin, distances, out, 0)) &&
      !scan_products(begin, distances, out, 500))
    add_trapezoids(begin, places, out);
  double sum = 0;
  for (std::int64_t i = finite; i < last; ++i) put(out, i + 1, sum += infinite_part(i));
}

}  // namespace

void cumulative_trapezoid(const VectorView& y, double dx, const MutableVectorView& out,
                          const Context& context) {
  quadrature::require_samples("cumulative_trapezoid", y, dx, context);
  require_out(y, out);
  const auto distances = [dx](std::int64_t, std::int64_t n, double* high, double* low) {
    std::fill_n(high, n, dx);
    std::fill_n(low, n, 0.0);
    return false;
  };
  integrate(y, distances, [dx](std::int64_t) { return std::array<TwoDoubles, 2>{{{0, 0}, {dx, 0}}}; }, out);
}

void cumulative_trapezoid(const VectorView& y, const VectorView& x, const MutableVectorView& out,
                          const Context& context) {
  quadrature::require_samples("cumulative_trapezoid", y, x, context);
  require_out(y, out);
  const auto distances = [&](std::int64_t first, std::int64_t n, double* high, double* low) {
    return quadrature::distances(x.part(first, n + 1), high, low);
  };
  integrate(y, distances, [&](std::int64_t i) { return std::array{element(x, i), element(x, i + 1)}; }, out);
}

}  // namespace foldline
