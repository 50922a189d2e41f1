#include "oracle_scan.hpp"

#include <cmath>

namespace oracle {

namespace {

class RunningSum {
 public:
  void add(double x) {
    any_other_than_negative_zero_ = any_other_than_negative_zero_ || x != 0 || !std::signbit(x);
    if (std::isnan(x)) nan_ = true;
    if (std::isinf(x)) (x < 0 ? negative_infinity_ : positive_infinity_) = true;
    if (!std::isfinite(x) || x == 0) return;
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);  // x = fraction * 2^exponent, |fraction| in [1/2, 1)
    term_ = std::ldexp(fraction, 53);
    const int place = exponent - 53 - BigIntegers::unit;
    if (place >= 0)
      term_ <<= static_cast<mp_bitcnt_t>(place);
    else
      term_ >>= static_cast<mp_bitcnt_t>(-place);  // a subnormal's zeros
    sum_ += term_;
  }

  std::uint64_t rounded(ElementType type) const {
    if (nan_ || (positive_infinity_ && negative_infinity_)) return canonical_nan(type);
    if (positive_infinity_ || negative_infinity_) return infinity(type, negative_infinity_);
    if (sum_ == 0) return encode(any_other_than_negative_zero_ ? 0.0 : -0.0, type);
    return round(sum_ < 0, sum_, BigIntegers::unit, false, type);
  }

 private:
  mpz_class sum_;
  mpz_class term_;  // here for its memory
  bool any_other_than_negative_zero_ = false;
  bool nan_ = false, positive_infinity_ = false, negative_infinity_ = false;
};

}  // namespace

std::vector<std::uint64_t> inclusive_scan(std::span<const double> x, ElementType type) {
  RunningSum sum;
  std::vector<std::uint64_t> results;
  results.reserve(x.size());
  for (const double element : x) {
    sum.add(element);
    results.push_back(sum.rounded(type));
  }
  return results;
}

std::vector<std::uint64_t> exclusive_scan(std::span<const double> x, double init, ElementType type) {
  RunningSum sum;
  sum.add(init);
  std::vector<std::uint64_t> results;
  results.reserve(x.size());
  for (const double element : x) {
    results.push_back(sum.rounded(type));
    sum.add(element);
  }
  return results;
}

}  // namespace oracle
