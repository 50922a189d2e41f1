#include "oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace oracle {

namespace {

__extension__ typedef unsigned __int128 Unsigned128;

// Not assert: the tests must be able to trust their oracle in a release build too.
void require(bool condition, const char* message) {
  if (!condition) throw std::logic_error(message);
}

std::uint64_t one_bit(int position) { return std::uint64_t{1} << position; }

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

/// The words of a natural number, to be looked at where they are: a scan is rounded at every element.
class Magnitude {
 public:
  /// Without its sign.
  explicit Magnitude(const mpz_class& value)
      : words_(mpz_limbs_read(value.get_mpz_t())),
        size_(mpz_size(value.get_mpz_t())),
        bits_(bits_in(value)) {}
  explicit Magnitude(const mp_limb_t& word)
      : words_(&word), size_(word == 0 ? 0 : 1), bits_(static_cast<int>(std::bit_width(word))) {}

  int bits() const { return bits_; }
  /// The 64 bits from `place` on.
  std::uint64_t from(std::size_t place) const {
    const std::size_t first = place / 64, shift = place % 64;
    return shift == 0 ? word(first) : (word(first) >> shift) | (word(first + 1) << (64 - shift));
  }
  bool any_below(std::size_t place) const { return size_ > 0 && mpn_scan1(words_, 0) < place; }

 private:
  static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t) && GMP_NAIL_BITS == 0);
  std::uint64_t word(std::size_t i) const { return i < size_ ? words_[i] : 0; }

  const mp_limb_t* words_;
  std::size_t size_;
  int bits_;
};

std::uint64_t rounded(bool negative, const Magnitude& magnitude, int exponent, bool inexact,
                      ElementType type) {
  const Format format = format_of(type);
  const std::uint64_t sign = negative ? one_bit(format.storage_bits - 1) : 0;
  if (magnitude.bits() == 0 && !inexact) return sign;

  // The result is an integer times 2^place.
  int place = std::max(exponent + magnitude.bits() - format.precision, format.min_place());
  std::uint64_t kept;
  if (place <= exponent) {
    require(!inexact, "round: too few bits");
    kept = magnitude.from(0) << (exponent - place);
  } else {
    const auto lost = static_cast<std::size_t>(place - exponent);
    kept = magnitude.from(lost);
    const bool half = magnitude.from(lost - 1) % 2 != 0;
    const bool rest = inexact || magnitude.any_below(lost - 1);
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
  const std::uint64_t bits = rounded(parts.negative, Magnitude(parts.significand),
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
  if (field == 0) {
    const double result = std::ldexp(static_cast<double>(fraction), format.min_place());
    return negative ? -result : result;
  }
  const auto double_field = static_cast<std::uint64_t>(field + format.min_exponent - 1 + 1023);
  return std::bit_cast<double>(sign | (double_field << 52) | (fraction << (53 - format.precision)));
}

std::uint64_t round(bool negative, const mpz_class& magnitude, int exponent, bool inexact, ElementType type) {
  return rounded(negative, Magnitude(magnitude), exponent, inexact, type);
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

std::uint64_t round_root_of_quotient(const mpz_class& numerator, const mpz_class& denominator, int exponent,
                                     ElementType type) {
  // sqrt(a / b) = sqrt(a b) / b; below, the root is of whole bits, and what is cut off is noted in `rest`.
  const int shift = 2 * (140 + bits_in(denominator));
  const mpz_class square = (numerator << static_cast<mp_bitcnt_t>(shift)) * denominator;
  mpz_class root, remainder, quotient, rest;
  mpz_sqrtrem(root.get_mpz_t(), remainder.get_mpz_t(), square.get_mpz_t());
  mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), root.get_mpz_t(), denominator.get_mpz_t());
  return round(false, quotient, (exponent - shift) / 2, remainder != 0 || rest != 0, type);
}

void BigIntegers::Specials::see(double term) {
  nan = nan || std::isnan(term);
  positive_infinity = positive_infinity || (std::isinf(term) && term > 0);
  negative_infinity = negative_infinity || (std::isinf(term) && term < 0);
}

std::uint64_t BigIntegers::Specials::result(ElementType type) const {
  return is_nan() ? canonical_nan(type) : infinity(type, negative_infinity);
}

void BigIntegers::Digits::add(std::size_t place, std::uint64_t value) {
  digits_[place / 32] += static_cast<Digit>(value) << (place % 32);
  first_ = std::min(first_, place / 32);
  last_ = std::max(last_, place / 32);
}

mpz_class BigIntegers::Digits::take() {
  mpz_class total = 0;
  if (first_ > last_) return total;
  std::array<std::uint64_t, count / 2> words;
  std::size_t size = 0;
  Digit carry = 0;
  const std::size_t start = first_ / 2;
  for (std::size_t i = start; 2 * i <= last_ || carry != 0; ++i) {
    const auto next = [&](std::size_t digit) {
      carry += std::exchange(digits_[digit], 0);
      const std::uint64_t low = carry & 0xffffffffu;
      carry >>= 32;
      return low;
    };
    const std::uint64_t low = next(2 * i);
    words[size++] = low | (next(2 * i + 1) << 32);
  }
  mpz_import(total.get_mpz_t(), size, -1, sizeof(std::uint64_t), 0, 0, words.data());
  first_ = count;
  last_ = 0;
  return total << (64 * start);
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
    (parts.negative ? negative_ : positive_).add(parts.place, parts.significand);
  }
  const mpz_class plus = positive_.take(), minus = negative_.take();
  totals.sum = plus - minus;
  totals.abs_sum = plus + minus;
  return totals;
}

mpz_class BigIntegers::sum_of_products(std::span<const double> x, std::span<const double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    const Parts a = take_apart(x[i]), b = take_apart(y[i]);
    const Unsigned128 product = static_cast<Unsigned128>(a.significand) * b.significand;
    Digits& digits = a.negative != b.negative ? negative_ : positive_;
    digits.add(a.place + b.place, static_cast<std::uint64_t>(product));
    digits.add(a.place + b.place + 64, static_cast<std::uint64_t>(product >> 64));
  }
  return positive_.take() - negative_.take();
}

void BigIntegers::load(std::span<const double> x, bool with_squares) {
  require(x.size() < Digits::most_terms, "load: too many elements");
  size_ = static_cast<std::int64_t>(x.size());
  x_ = totals_of(x);
  has_squares_ = with_squares;
  if (with_squares) squares_ = sum_of_products(x, x);
  y_ = {};
  dot_specials_ = {};
}

void BigIntegers::load(std::span<const double> x, std::span<const double> y) {
  load(x);
  y_ = totals_of(y);
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
      if (operation == Operation::sum) return round(x_.sum < 0, x_.sum, unit, false, type);
      return round_quotient(x_.sum, static_cast<long>(size_), unit, type);
    case Operation::abs_sum:
    case Operation::two_norm:
      if (specials.nan) return canonical_nan(type);
      if (specials.any()) return infinity(type, false);
      if (operation == Operation::abs_sum) return round(false, x_.abs_sum, unit, false, type);
      require(has_squares_, "two_norm: loaded without squares");
      return round_root(squares_, 2 * unit, type);
    case Operation::root_mean_square:
      if (specials.nan || size_ == 0) return canonical_nan(type);
      if (specials.any()) return infinity(type, false);
      require(has_squares_, "root_mean_square: loaded without squares");
      return round_root_of_quotient(squares_, mpz_class(static_cast<long>(size_)), 2 * unit, type);
    case Operation::variance:
    case Operation::standard_deviation:
    case Operation::standard_error:
      return variance(operation, type, ddof);
    case Operation::range:
      return range(type);
    case Operation::dot:
      if (dot_specials_.any()) return dot_specials_.result(type);
      return size_ == 0 ? 0 : round(dot_ < 0, dot_, 2 * unit, false, type);
    case Operation::weighted_mean:
      return weighted_mean(type);
    case Operation::minimum:
    case Operation::maximum: {
      if (specials.nan || size_ == 0) return canonical_nan(type);
      const double extreme = operation == Operation::minimum ? x_.minimum : x_.maximum;
      if (std::isinf(extreme)) return infinity(type, extreme < 0);
      const Parts parts = take_apart(extreme);
      return rounded(parts.negative, Magnitude(parts.significand), static_cast<int>(parts.place) + unit,
                     false, type);
    }
    case Operation::statistics:
      break;
  }
  throw std::logic_error("the oracle gives one result at a time");
}

std::uint64_t BigIntegers::range(ElementType type) const {
  if (x_.specials.nan || size_ == 0) return canonical_nan(type);
  if (std::isinf(x_.minimum) || std::isinf(x_.maximum))
    return x_.minimum == x_.maximum ? canonical_nan(type) : infinity(type, false);
  const auto integer_of = [](double value) {
    const Parts parts = take_apart(value);
    const mpz_class magnitude = mpz_class(static_cast<unsigned long>(parts.significand)) << parts.place;
    return parts.negative ? mpz_class(-magnitude) : magnitude;
  };
  return round(false, integer_of(x_.maximum) - integer_of(x_.minimum), unit, false, type);
}

std::uint64_t BigIntegers::variance(Operation operation, ElementType type, std::int64_t ddof) const {
  if (size_ <= ddof || x_.specials.any()) return canonical_nan(type);
  require(has_squares_, "variance: loaded without squares");
  const mpz_class n = static_cast<long>(size_);
  const mpz_class numerator = n * squares_ - x_.sum * x_.sum;
  const mpz_class denominator = n * (n - mpz_class(static_cast<long>(ddof)));
  if (operation == Operation::standard_deviation)
    return round_root_of_quotient(numerator, denominator, 2 * unit, type);
  if (operation == Operation::standard_error)
    return round_root_of_quotient(numerator, denominator * n, 2 * unit, type);
  return round_quotient(numerator, denominator, 2 * unit, type);
}

std::uint64_t BigIntegers::weighted_mean(ElementType type) const {
  // An infinite weight makes its product infinite or NaN, and the quotient of two infinities is NaN.
  if (size_ == 0 || y_.specials.any() || y_.sum == 0 || dot_specials_.is_nan()) return canonical_nan(type);
  if (dot_specials_.any()) return infinity(type, dot_specials_.negative_infinity != (y_.sum < 0));
  return round_quotient(dot_, y_.sum, unit, type);
}

}  // namespace oracle
