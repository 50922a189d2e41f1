#include <mpfr.h>

#include <cmath>
#include <deque>
#include <stdexcept>

#include "oracle.hpp"

namespace oracle {

namespace {

/// Holds any sum of 2^62 products of doubles, and any n * sum(x^2), exactly.
constexpr mpfr_prec_t exact_precision = 4500;

void require_exact(int inexact) {
  if (inexact != 0) throw std::logic_error("MPFR rounded what must be exact");
}

class Real {
 public:
  explicit Real(mpfr_prec_t precision = exact_precision) { mpfr_init2(value_, precision); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  operator mpfr_ptr() {
    return value_;
  }  // NOLINT(google-explicit-constructor): an argument of MPFR's functions

 private:
  mpfr_t value_;
};

using Terms = std::deque<Real>;

void sum_exactly(Real& total, Terms& terms) {
  std::vector<mpfr_ptr> pointers(terms.begin(), terms.end());
  require_exact(mpfr_sum(total, pointers.data(), pointers.size(), MPFR_RNDN));
}

/// 106 bits hold every product of two doubles.
void append_product(Terms& terms, double a, double b) {
  Real left(53), right(53);
  mpfr_set_d(left, a, MPFR_RNDN);
  mpfr_set_d(right, b, MPFR_RNDN);
  mpfr_mul(terms.emplace_back(106), left, right, MPFR_RNDN);
}

/// Takes a number that was rounded to the format's precision into its range of exponents: `inexact` is what
/// MPFR returned for that rounding, which spares it from rounding a subnormal twice.
std::uint64_t fit(Real& value, int inexact, ElementType type) {
  const Format format = format_of(type);
  if (mpfr_nan_p(static_cast<mpfr_ptr>(value)) != 0) return canonical_nan(type);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(format.min_place() + 1);  // MPFR's significands are in [1/2, 1)
  mpfr_set_emax(format.max_exponent + 1);
  inexact = mpfr_check_range(value, inexact, MPFR_RNDN);
  mpfr_subnormalize(value, inexact, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return encode(mpfr_get_d(value, MPFR_RNDN), type);
}

int divide(Real& result, Real& numerator, Real& denominator) {
  if (mpfr_zero_p(static_cast<mpfr_ptr>(denominator)) != 0) {
    mpfr_set_nan(result);
    return 0;
  }
  return mpfr_div(result, numerator, denominator, MPFR_RNDN);
}

/// sqrt(numerator / denominator), rounded, and on which side. A root that is no tie is further from one than
/// this precision, which is that of both numbers together, can lose.
int root_of_quotient(Real& result, Real& numerator, Real& denominator) {
  Real quotient(2 * exact_precision + 300), root(2 * exact_precision + 300);
  const int cut = mpfr_div(quotient, numerator, denominator, MPFR_RNDZ);
  const int cut_again = mpfr_sqrt(root, quotient, MPFR_RNDZ);
  // What was cut off is positive: where the root ends in zeros, it is above, not at, a tie.
  if ((cut != 0 || cut_again != 0) && mpfr_zero_p(static_cast<mpfr_ptr>(root)) == 0) mpfr_nextabove(root);
  return mpfr_set(result, root, MPFR_RNDN);
}

void clear_sign_of_zero(Real& value) {
  if (mpfr_zero_p(static_cast<mpfr_ptr>(value)) != 0) mpfr_set_zero(value, 1);
}

}  // namespace

std::uint64_t round_with_mpfr(Operation operation, std::span<const double> x, std::span<const double> y,
                              ElementType type, std::int64_t ddof) {
  Real result(format_of(type).precision), total, other;
  const auto n = static_cast<long>(x.size());
  Terms terms;
  int inexact = 0;

  switch (operation) {
    case Operation::sum:
    case Operation::abs_sum:
    case Operation::mean:
      for (const double value : x)
        mpfr_set_d(terms.emplace_back(53), operation == Operation::abs_sum ? std::fabs(value) : value,
                   MPFR_RNDN);
      sum_exactly(total, terms);
      if (operation == Operation::mean) {
        if (n == 0) return canonical_nan(type);
        inexact = mpfr_div_si(result, total, n, MPFR_RNDN);
      } else {
        inexact = mpfr_set(result, total, MPFR_RNDN);
      }
      return fit(result, inexact, type);

    case Operation::two_norm:
      for (const double value : x) append_product(terms, value, value);
      sum_exactly(total, terms);
      inexact = mpfr_sqrt(result, total, MPFR_RNDN);
      return fit(result, inexact, type);

    case Operation::root_mean_square:
      if (n == 0) return canonical_nan(type);
      for (const double value : x) append_product(terms, value, value);
      sum_exactly(total, terms);
      mpfr_set_si(other, n, MPFR_RNDN);
      clear_sign_of_zero(total);
      inexact = root_of_quotient(result, total, other);
      return fit(result, inexact, type);

    case Operation::variance:
    case Operation::standard_deviation:
    case Operation::standard_error:
      if (n <= ddof) return canonical_nan(type);
      for (const double value : x) append_product(terms, value, value);
      sum_exactly(total, terms);
      terms.clear();
      for (const double value : x) mpfr_set_d(terms.emplace_back(53), value, MPFR_RNDN);
      sum_exactly(other, terms);
      if (mpfr_number_p(static_cast<mpfr_ptr>(total)) == 0) return canonical_nan(type);
      inexact = mpfr_mul_si(total, total, n, MPFR_RNDN) | mpfr_sqr(other, other, MPFR_RNDN) |
                mpfr_sub(total, total, other, MPFR_RNDN);
      require_exact(inexact);
      mpfr_set_si(other, n, MPFR_RNDN);
      mpfr_mul_si(other, other, n - static_cast<long>(ddof), MPFR_RNDN);
      clear_sign_of_zero(total);
      if (operation == Operation::variance) {
        inexact = divide(result, total, other);
        return fit(result, inexact, type);
      }
      if (operation == Operation::standard_error) mpfr_mul_si(other, other, n, MPFR_RNDN);
      inexact = root_of_quotient(result, total, other);
      return fit(result, inexact, type);

    case Operation::range: {
      if (n == 0) return canonical_nan(type);
      Real least, most;
      mpfr_set_inf(least, 1);
      mpfr_set_inf(most, -1);
      for (const double value : x) {
        Real element(53);
        mpfr_set_d(element, value, MPFR_RNDN);
        if (std::isnan(value)) return canonical_nan(type);
        mpfr_min(least, least, element, MPFR_RNDN);
        mpfr_max(most, most, element, MPFR_RNDN);
      }
      inexact = mpfr_sub(result, most, least, MPFR_RNDN);
      clear_sign_of_zero(result);
      return fit(result, inexact, type);
    }

    case Operation::dot:
    case Operation::weighted_mean:
      for (std::size_t i = 0; i < x.size(); ++i) append_product(terms, x[i], y[i]);
      sum_exactly(total, terms);
      clear_sign_of_zero(total);
      if (operation == Operation::dot) {
        inexact = mpfr_set(result, total, MPFR_RNDN);
        return fit(result, inexact, type);
      }
      terms.clear();
      for (const double value : y) mpfr_set_d(terms.emplace_back(53), value, MPFR_RNDN);
      sum_exactly(other, terms);
      inexact = divide(result, total, other);
      if (mpfr_zero_p(static_cast<mpfr_ptr>(total)) != 0) clear_sign_of_zero(result);
      return fit(result, inexact, type);

    default:
      break;
  }
  throw std::logic_error("MPFR is not asked for this operation");
}

}  // namespace oracle
