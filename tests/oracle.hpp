// What the right answer is. Two ways to find it that share no code with the library, nor with each other:
//
//   BigIntegers     significands added up as integers, in digits by their exponents; rounded by hand. Fast.
//   round_with_mpfr MPFR: exact products, mpfr_sum, mpfr_subnormalize. Slow; it checks the other one.
//
// Elements come as doubles, which hold every value of every element type. Results are the bits of the result
// type.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/types.hpp"

namespace oracle {

using foldline::ElementType;
using foldline::Operation;

/// An IEEE 754 binary format: `precision` significant bits, binades 2^min_exponent .. 2^max_exponent.
struct Format {
  int precision, min_exponent, max_exponent, storage_bits;
  /// Exponent of the smallest subnormal.
  constexpr int min_place() const { return min_exponent - precision + 1; }
};

constexpr Format format_of(ElementType type) {
  switch (type) {
    case ElementType::half:
      return {11, -14, 15, 16};
    case ElementType::bfloat16:
      return {8, -126, 127, 16};
    case ElementType::float32:
      return {24, -126, 127, 32};
    default:
      return {53, -1022, 1023, 64};
  }
}

inline constexpr std::array all_types = {ElementType::half, ElementType::bfloat16, ElementType::float32,
                                         ElementType::float64};

/// The elements of all of these arrays, in one.
template <class T, std::size_t... Sizes>
constexpr auto joined(const std::array<T, Sizes>&... parts) {
  std::array<T, (Sizes + ...)> all{};
  auto end = all.begin();
  ((end = std::ranges::copy(parts, end).out), ...);
  return all;
}

inline constexpr std::array one_vector_operations = {Operation::sum,
                                                     Operation::abs_sum,
                                                     Operation::two_norm,
                                                     Operation::mean,
                                                     Operation::variance,
                                                     Operation::minimum,
                                                     Operation::maximum,
                                                     Operation::standard_deviation,
                                                     Operation::standard_error,
                                                     Operation::range,
                                                     Operation::root_mean_square};
inline constexpr std::array two_vector_operations = {Operation::dot, Operation::weighted_mean};
/// Of one result each.
inline constexpr auto all_operations = joined(one_vector_operations, two_vector_operations);
/// Whether ddof is for it.
constexpr bool has_ddof(Operation operation) {
  return operation == Operation::variance || operation == Operation::standard_deviation ||
         operation == Operation::standard_error;
}
/// Whether there is none of an empty vector.
constexpr bool needs_elements(Operation operation) {
  return operation == Operation::minimum || operation == Operation::maximum || operation == Operation::range;
}

/// The one NaN that results may be: quiet, positive, payload zero.
std::uint64_t canonical_nan(ElementType type);
std::uint64_t infinity(ElementType type, bool negative);

/// The bits in `type` of a value that is exactly one of that type; a NaN keeps its sign and the top of its
/// payload.
std::uint64_t encode(double value, ElementType type);
double decode(std::uint64_t bits, ElementType type);

/// Rounds (|magnitude| + fraction) * 2^exponent to nearest, ties to even, where the fraction is in [0, 1) and
/// `inexact` says whether it is not 0. Allocates nothing.
std::uint64_t round(bool negative, const mpz_class& magnitude, int exponent, bool inexact, ElementType type);

/// numerator / denominator * 2^exponent, rounded; the denominator is not zero, an exact zero is +0.
std::uint64_t round_quotient(const mpz_class& numerator, const mpz_class& denominator, int exponent,
                             ElementType type);
/// sqrt(value * 2^exponent), rounded; exponent is even.
std::uint64_t round_root(const mpz_class& value, int exponent, ElementType type);
/// sqrt(numerator / denominator * 2^exponent), rounded; exponent is even, the denominator positive.
std::uint64_t round_root_of_quotient(const mpz_class& numerator, const mpz_class& denominator, int exponent,
                                     ElementType type);

/// Oracle (b). One load, then any number of results. May be loaded again.
class BigIntegers {
 public:
  static constexpr int unit = -1074;  ///< sums are integers times 2^unit, sums of products times 2^(2 unit)

  /// Without squares there are no norms and no variances, in half the time.
  void load(std::span<const double> x, bool with_squares = true);
  /// x and y have the same size. Answers all that load(x) does, and the operations on two vectors.
  void load(std::span<const double> x, std::span<const double> y);
  /// The minimum and maximum of nothing are NaN here.
  std::uint64_t result(Operation operation, ElementType type, std::int64_t ddof = 0) const;

  // The exact totals, for tests that need more than a rounded result.
  const mpz_class& sum() const { return x_.sum; }
  const mpz_class& abs_sum() const { return x_.abs_sum; }
  const mpz_class& squares() const { return squares_; }
  const mpz_class& dot() const { return dot_; }
  const mpz_class& weights() const { return y_.sum; }

 private:
  /// What infinities and NaN among the terms come to.
  struct Specials {
    bool nan = false, positive_infinity = false, negative_infinity = false;
    void see(double term);
    bool any() const { return nan || positive_infinity || negative_infinity; }
    bool is_nan() const { return nan || (positive_infinity && negative_infinity); }
    std::uint64_t result(ElementType type) const;
  };
  struct Vector {
    mpz_class sum, abs_sum;
    Specials specials;
    bool only_negative_zeros = false;
    double minimum = 0, maximum = 0;
  };
  /// The sum of many natural numbers, each times a power of two. Digits count 2^32 each; what does not fit
  /// one, stays there until the sum is taken.
  class Digits {
   public:
    static constexpr std::size_t most_terms = std::size_t{1} << 31;
    /// Adds value * 2^place.
    void add(std::size_t place, std::uint64_t value);
    /// The sum, which is 0 again.
    mpz_class take();

   private:
    __extension__ typedef unsigned __int128 Digit;
    static constexpr std::size_t count = 2 * 2048 / 32 + 10;

    std::vector<Digit> digits_ = std::vector<Digit>(count);
    std::size_t first_ = count, last_ = 0;  // those added to
  };

  Vector totals_of(std::span<const double> x);
  mpz_class sum_of_products(std::span<const double> x, std::span<const double> y);
  /// The variance, the root of it, or the root of it divided by n.
  std::uint64_t variance(Operation operation, ElementType type, std::int64_t ddof) const;
  std::uint64_t range(ElementType type) const;
  std::uint64_t weighted_mean(ElementType type) const;

  Digits positive_, negative_;  // 0 between calls

  std::int64_t size_ = 0;
  bool has_squares_ = false;
  Vector x_, y_;
  mpz_class squares_, dot_;
  Specials dot_specials_;
};

/// Oracle (a). y is empty for the operations on one vector. Not for minimum and maximum.
std::uint64_t round_with_mpfr(Operation operation, std::span<const double> x, std::span<const double> y,
                              ElementType type, std::int64_t ddof = 0);

}  // namespace oracle
