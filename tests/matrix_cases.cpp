#include "matrix_cases.hpp"

#include <gmpxx.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "foldline/matrix_product.hpp"

namespace matrix_cases {

using foldline::Context;
using generators::Random;

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

ElementType any_type(Random& random) { return random.coin() ? ElementType::float64 : ElementType::float32; }

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

std::string check_random_product(std::uint64_t seed, const Context& processor) {
  Random random(seed);
  const ElementType type = any_type(random);
  const bool cut = random.coin();  // with 16 rows and columns and more, slices are made
  const auto extent = [&] {
    return random.one_in(20) ? 0 : cut ? random.between(16, 36) : random.between(1, 20);
  };
  const std::int64_t m = extent(), n = extent(), depth = random.one_in(6) ? random.between(0, 300) : extent();
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
  Context context = processor;
  const foldline::Device device = processor.execution.device;
  context.execution.threads = static_cast<int>(random.between(0, 3));
  matrix_product(a.view(device), b.view(device), c.view(device), {.alpha = alpha, .beta = beta}, context);
  c.fetch();
  std::ostringstream what;
  what << m << " x " << depth << " x " << n << " of " << name_of(type) << ", kind " << static_cast<int>(kind)
       << ", alpha " << alpha << ", beta " << beta << ", on " << name_of(device) << ", seed " << seed;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const std::uint64_t right = expected(a, b, i, j, alpha, beta, before(i, j), c.type());
      if (c.bits(i, j) != right)
        return "entry " + std::to_string(i) + ", " + std::to_string(j) + " is " + cases::hex(c.bits(i, j)) +
               ", must be " + cases::hex(right) + ": product " + what.str();
    }
  return c.changed_gaps() == 0 ? "" : "wrote where it must not: product " + what.str();
}

}  // namespace matrix_cases
