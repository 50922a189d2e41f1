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
#include "quadrature/samples.hpp"

namespace foldline {

namespace {

constexpr std::int64_t block_size = 512;  // intervals
constexpr std::size_t most_terms =
    8;  // of an interval: dx y_i / 2 and dx y_(i+1) / 2, each y and product two doubles

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

/// x * y / 2 exactly, unless bits of it are below 2^-1074.
void set_product(double x, double y, double* terms) {
  (std::abs(x) < 0x1p-1021 ? y : x) /= 2;  // of two factors below that there are no such bits
  terms[0] = x * y;
  const double rest = std::fma(x, y, -terms[0]);
  terms[1] = std::isfinite(terms[0]) ? rest : 0;
}

/// The same of dx and a sample, whose low part must not turn a product that is infinite into another.
void set_products(double dx, double high, double low, double* terms, std::size_t count) {
  set_product(dx, high, terms);
  if (count == 4) set_product(std::isfinite(terms[0]) ? dx : 0, low, terms + 2);
}

/// distances(first, n, out) gives the distances of samples [first, first + n) to the ones after them.
template <class Distances>
void integrate_prefixes(const VectorView& y, const Distances& distances, const MutableVectorView& out) {
  if (y.size() == 0) return;
  const auto put = [&](std::int64_t i, double value) { std::memcpy(out.at(i), &value, sizeof value); };
  put(0, 0);
  RunningScan scan(ScanKind::inclusive);
  std::array<double, block_size + 1> high, low;
  std::array<double, block_size> dx;
  std::array<double, most_terms * block_size> terms;
  for (std::int64_t first = 0; first < y.size() - 1; first += block_size) {
    const std::int64_t n = std::min(block_size, y.size() - 1 - first);
    const std::size_t count = split(y.part(first, n + 1), high.data(), low.data()) ? 4 : 2;  // of a sample
    distances(first, n, dx.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      double* const of_interval = &terms[2 * count * i];
      set_products(dx[i], high[i], low[i], of_interval, count);
      set_products(dx[i], high[i + 1], low[i + 1], of_interval + count, count);
    }
    const std::span used = std::span(terms).first(2 * count * static_cast<std::size_t>(n));
    scan.next(used, used, {.execution = {.threads = 1}});
    for (std::int64_t i = 0; i < n; ++i)
      put(first + i + 1, terms[2 * count * static_cast<std::size_t>(i + 1) - 1]);
  }
}

}  // namespace

void cumulative_trapezoid(const VectorView& y, double dx, const MutableVectorView& out,
                          const Context& context) {
  quadrature::require_samples("cumulative_trapezoid", y, dx, context);
  require_out(y, out);
  integrate_prefixes(
      y, [dx](std::int64_t, std::int64_t n, double* distances) { std::fill_n(distances, n, dx); }, out);
}

void cumulative_trapezoid(const VectorView& y, const VectorView& x, const MutableVectorView& out,
                          const Context& context) {
  quadrature::require_samples("cumulative_trapezoid", y, x, context);
  require_out(y, out);
  const auto distances = [&](std::int64_t first, std::int64_t n, double* dx) {
    quadrature::distances(x.part(first, n + 1), dx);
  };
  integrate_prefixes(y, distances, out);
}

}  // namespace foldline
