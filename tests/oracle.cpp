#include "oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace oracle {

namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

// Not assert: the tests must be able to trust their oracle in a release build too.
void require(bool condition, const char* message) {
  if (!condition) throw std::logic_error(message);
}

std::uint64_t one_bit(int position) { return std::uint64_t{1} << position; }

mpz_class to_integer(Int128 value) {
  const Unsigned128 magnitude =
      value < 0 ? -static_cast<Unsigned128>(value) : static_cast<Unsigned128>(value);
  const std::array<std::uint64_t, 2> words = {static_cast<std::uint64_t>(magnitude),
                                              static_cast<std::uint64_t>(magnitude >> 64)};
  mpz_class result;
  mpz_import(result.get_mpz_t(), 2, -1, sizeof(std::uint64_t), 0, 0, words.data());
  return value < 0 ? mpz_class(-result) : result;
}

/// A finite double as (-1)^negative * significand * 2^(place - 1074), place >= 0.
struct Parts {
  bool negative;
  std::size_t place;
  std::uint64_t significand;
};

Parts take_apart(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::size_t field = (bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & (one_bit(52) - 1);
  return field == 0 ? Parts{(bits >> 63) != 0, 0, fraction}
                    : Parts{(bits >> 63) != 0, field - 1, fraction | one_bit(52)};
}

int bits_in(const mpz_class& value) {
  return value == 0 ? 0 : static_cast<int>(mpz_sizeinbase(value.get_mpz_t(), 2));
}

bool below(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

}  // namespace

std::uint64_t infinity(ElementType type, bool negative) {
  const Format format = format_of(type);
  const std::uint64_t field = one_bit(format.storage_bits - format.precision) - 1;
  return (field << (format.precision - 1)) | (negative ? one_bit(format.storage_bits - 1) : 0);
}

std::uint64_t canonical_nan(ElementType type) {
  return infinity(type, false) | one_bit(format_of(type).precision - 2);
}

std::uint64_t encode(double value, ElementType type) {
  const Format format = format_of(type);
  if (std::isnan(value)) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t payload = (bits & (one_bit(52) - 1)) >> (53 - format.precision);
    const std::uint64_t nan = payload == 0 ? canonical_nan(type) : infinity(type, false) | payload;
    return nan | ((bits >> 63) != 0 ? one_bit(format.storage_bits - 1) : 0);
  }
  if (std::isinf(value)) return infinity(type, value < 0);
  const Parts parts = take_apart(value);
  const std::uint64_t bits = round(parts.negative, mpz_class(static_cast<unsigned long>(parts.significand)),
                                   static_cast<int>(parts.place) + BigIntegers::unit, false, type);
  require(std::bit_cast<std::uint64_t>(decode(bits, type)) == std::bit_cast<std::uint64_t>(value),
          "encode: not a value of the type");
  return bits;
}

double decode(std::uint64_t bits, ElementType type) {
  if (type == ElementType::float64) return std::bit_cast<double>(bits);
  const Format format = format_of(type);
  const bool negative = ((bits >> (format.storage_bits - 1)) & 1) != 0;
  const std::uint64_t magnitude = bits & (one_bit(format.storage_bits - 1) - 1);
  const std::uint64_t fraction = magnitude & (one_bit(format.precision - 1) - 1);
  const int field = static_cast<int>(magnitude >> (format.precision - 1));
  const std::uint64_t sign = negative ? one_bit(63) : 0;
  if (magnitude >= infinity(type, false))
    return std::bit_cast<double>(sign | infinity(ElementType::float64, false) |
                                 (fraction << (53 - format.precision)));
  const double result = field == 0 ? std::ldexp(static_cast<double>(fraction), format.min_place())
                                   : std::ldexp(static_cast<double>(fraction | one_bit(format.precision - 1)),
                                                format.min_place() + field - 1);
  return negative ? -result : result;
}

std::uint64_t round(bool negative, const mpz_class& magnitude, int exponent, bool inexact, ElementType type) {
  const Format format = format_of(type);
  const std::uint64_t sign = negative ? one_bit(format.storage_bits - 1) : 0;
  if (magnitude == 0 && !inexact) return sign;

  // The result is an integer times 2^place.
  int place = std::max(exponent + bits_in(magnitude) - format.precision, format.min_place());
  std::uint64_t kept;
  if (place <= exponent) {
    require(!inexact, "round: too few bits");
    kept = mpz_class(magnitude << static_cast<mp_bitcnt_t>(exponent - place)).get_ui();
  } else {
    const auto lost = static_cast<mp_bitcnt_t>(place - exponent);
    kept = mpz_class(magnitude >> lost).get_ui();
    const bool half = mpz_tstbit(magnitude.get_mpz_t(), lost - 1) != 0;
    const bool rest = inexact || (magnitude != 0 && mpz_scan1(magnitude.get_mpz_t(), 0) < lost - 1);
    if (half && (rest || kept % 2 == 1)) ++kept;
  }
  if (kept == one_bit(format.precision)) {
    kept /= 2;
    ++place;
  }
  if (place + format.precision - 1 > format.max_exponent) return infinity(type, negative);
  const std::uint64_t hidden = one_bit(format.precision - 1);
  if (kept < hidden) return sign | kept;  // subnormal
  const auto field = static_cast<std::uint64_t>(place - format.min_place() + 1);
  return sign | (field << (format.precision - 1)) | (kept - hidden);
}

std::uint64_t round_quotient(const mpz_class& numerator, const mpz_class& denominator, int exponent,
                             ElementType type) {
  const mpz_class n = abs(numerator), d = abs(denominator);
  const int shift = std::max(0, 70 + bits_in(d) - bits_in(n));  // 69 bits of quotient or more
  const mpz_class scaled = n << static_cast<mp_bitcnt_t>(shift);
  mpz_class quotient, remainder;
  mpz_tdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), scaled.get_mpz_t(), d.get_mpz_t());
  return round(sgn(numerator) * sgn(denominator) < 0, quotient, exponent - shift, remainder != 0, type);
}

std::uint64_t round_root(const mpz_class& value, int exponent, ElementType type) {
  const int shift = (std::max(0, 140 - bits_in(value)) + 1) / 2 * 2;
  const mpz_class scaled = value << static_cast<mp_bitcnt_t>(shift);
  mpz_class root, remainder;
  mpz_sqrtrem(root.get_mpz_t(), remainder.get_mpz_t(), scaled.get_mpz_t());
  return round(false, root, (exponent - shift) / 2, remainder != 0, type);
}

void BigIntegers::Specials::see(double term) {
  nan = nan || std::isnan(term);
  positive_infinity = positive_infinity || (std::isinf(term) && term > 0);
  negative_infinity = negative_infinity || (std::isinf(term) && term < 0);
}

std::uint64_t BigIntegers::Specials::result(ElementType type) const {
  return is_nan() ? canonical_nan(type) : infinity(type, negative_infinity);
}

/// The sum of all buckets, each at its place; empties them.
mpz_class BigIntegers::drain(std::vector<Bucket>& buckets) {
  mpz_class total = 0;
  for (std::size_t place = last_ + 1; place-- > first_;) {
    total <<= 1;
    if (buckets[place] != 0) total += to_integer(buckets[place]);
    buckets[place] = 0;
  }
  return total << first_;
}

BigIntegers::Vector BigIntegers::totals_of(std::span<const double> x) {
  Vector totals;
  totals.only_negative_zeros = !x.empty();
  if (!x.empty()) totals.minimum = totals.maximum = x.front();
  for (const double value : x) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    totals.only_negative_zeros = totals.only_negative_zeros && bits == one_bit(63);
    if (below(value, totals.minimum)) totals.minimum = value;
    if (below(totals.maximum, value)) totals.maximum = value;
    if (!std::isfinite(value)) {
      totals.specials.see(value);
      continue;
    }
    const Parts parts = take_apart(value);
    first_ = std::min(first_, parts.place);
    last_ = std::max(last_, parts.place);
    (parts.negative ? negative_ : positive_)[parts.place] += parts.significand;
  }
  if (first_ <= last_) {
    const mpz_class plus = drain(positive_), minus = drain(negative_);
    totals.sum = plus - minus;
    totals.abs_sum = plus + minus;
  }
  first_ = 4096;
  last_ = 0;
  return totals;
}

mpz_class BigIntegers::sum_of_products(std::span<const double> x, std::span<const double> y) {
  // 2^20 products of 106 bits fit a bucket with its sign.
  constexpr std::size_t chunk = std::size_t{1} << 20;
  mpz_class total = 0;
  for (std::size_t start = 0; start < x.size(); start += chunk) {
    for (std::size_t i = start; i < std::min(x.size(), start + chunk); ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
      const Parts a = take_apart(x[i]), b = take_apart(y[i]);
      const Bucket product = static_cast<Bucket>(a.significand) * static_cast<Bucket>(b.significand);
      const std::size_t place = a.place + b.place;
      first_ = std::min(first_, place);
      last_ = std::max(last_, place);
      positive_[place] += a.negative != b.negative ? -product : product;
    }
    if (first_ <= last_) total += drain(positive_);
    first_ = 4096;
    last_ = 0;
  }
  return total;
}

void BigIntegers::load(std::span<const double> x) { load(x, {}); }

void BigIntegers::load(std::span<const double> x, std::span<const double> y) {
  size_ = static_cast<std::int64_t>(x.size());
  x_ = totals_of(x);
  squares_ = sum_of_products(x, x);
  y_ = totals_of(y);
  dot_specials_ = {};
  if (y.empty()) return;
  dot_ = sum_of_products(x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) dot_specials_.see(x[i] * y[i]);
}

std::uint64_t BigIntegers::result(Operation operation, ElementType type, std::int64_t ddof) const {
  const Specials& specials = x_.specials;
  switch (operation) {
    case Operation::sum:
    case Operation::mean:
      if (operation == Operation::mean && size_ == 0) return canonical_nan(type);
      if (specials.any()) return specials.result(type);
      if (x_.only_negative_zeros) return encode(-0.0, type);
      return round_quotient(x_.sum, operation == Operation::mean ? mpz_class(static_cast<long>(size_)) : 1,
                            unit, type);
    case Operation::abs_sum:
    case Operation::two_norm:
      if (specials.nan) return canonical_nan(type);
      if (specials.any()) return infinity(type, false);
      if (operation == Operation::abs_sum) return round(false, x_.abs_sum, unit, false, type);
      return round_root(squares_, 2 * unit, type);
    case Operation::variance:
      return variance(type, ddof);
    case Operation::dot:
      if (dot_specials_.any()) return dot_specials_.result(type);
      return size_ == 0 ? 0 : round(dot_ < 0, abs(dot_), 2 * unit, false, type);
    case Operation::weighted_mean:
      return weighted_mean(type);
    case Operation::minimum:
    case Operation::maximum: {
      if (specials.nan || size_ == 0) return canonical_nan(type);
      const double extreme = operation == Operation::minimum ? x_.minimum : x_.maximum;
      if (std::isinf(extreme)) return infinity(type, extreme < 0);
      const Parts parts = take_apart(extreme);
      return round(parts.negative, mpz_class(static_cast<unsigned long>(parts.significand)),
                   static_cast<int>(parts.place) + unit, false, type);
    }
    case Operation::statistics:
      break;
  }
  throw std::logic_error("the oracle gives one result at a time");
}

std::uint64_t BigIntegers::variance(ElementType type, std::int64_t ddof) const {
  if (size_ <= ddof || x_.specials.any()) return canonical_nan(type);
  const mpz_class n = static_cast<long>(size_);
  const mpz_class numerator = n * squares_ - x_.sum * x_.sum;
  const mpz_class denominator = n * (n - mpz_class(static_cast<long>(ddof)));
  return round_quotient(numerator, denominator, 2 * unit, type);
}

std::uint64_t BigIntegers::weighted_mean(ElementType type) const {
  // An infinite weight makes its product infinite or NaN, and the quotient of two infinities is NaN.
  if (size_ == 0 || y_.specials.any() || y_.sum == 0 || dot_specials_.is_nan()) return canonical_nan(type);
  if (dot_specials_.any()) return infinity(type, dot_specials_.negative_infinity != (y_.sum < 0));
  return round_quotient(dot_, y_.sum, unit, type);
}

}  // namespace oracle
