#include "results/results.hpp"

#include "results/decimal.hpp"
#include "results/integer_results.hpp"
#include "results/range.hpp"
#include "results/rounded_results.hpp"

namespace foldline {

namespace {

/// Room for n * sum(x^2) - sum(x)^2 and for the numerator of a quotient: 4352 + 64 + 2 * 64 bits, and 192 for
/// one division, 320 for three.
using Number = Natural<160>;

double nan() { return from_bits(canonical_nan); }

bool has_no_variance(const Moments& moments, std::int64_t ddof) {
  return moments.count <= ddof || moments.values.specials.any() || moments.products.specials.any();
}

double zero_sum(const Moments& moments) {
  return foldline::zero_sum(moments.count, moments.only_negative_zeros);
}

ExtremeKeys extrema_of(const Moments& moments) {
  return {moments.min_key, moments.max_key, moments.count == 0};
}

std::string exact_extremum(WideKey key, const Moments& moments) {
  if (const double special = special_extremum(key, extrema_of(moments)); bits_of(special) != 0)
    return special_name(special);
  const Decomposed parts = from_wide_key(key);
  const auto digits = natural_of<2>(parts.significand);
  return decimal_digits(parts.negative, digits.digit, digits.size, parts.exponent);
}

// Sums of short vectors are one integer: a long number would cost more than adding them up.

template <class Sum>
double rounded_sum(const Sum& sum, double zero, const FloatFormat& format) {
  if (sum.is_compact() && !sum.specials.any()) {
    Uint128 magnitude = 0;
    const auto [negative, exponent] = sum.compact_magnitude(magnitude);
    return round(negative, leading_bits(magnitude, exponent), format);
  }
  Number number;
  return foldline::rounded_sum(sum, zero, format, number);
}

double rounded_of_squares(const Moments& moments, Operation operation, const FloatFormat& format) {
  Number number;
  return foldline::rounded_of_squares(operation, moments.products, moments.count, format, number);
}

double rounded_mean(const Moments& moments, const FloatFormat& format) {
  const double zero = zero_sum(moments);
  if (moments.values.is_compact()) {
    Natural<4 + 2 + quotient_words> number;
    return foldline::rounded_mean(moments.values, moments.count, zero, format, number);
  }
  Number number;
  return foldline::rounded_mean(moments.values, moments.count, zero, format, number);
}

double rounded_spread(const Moments& moments, Operation operation, std::int64_t ddof,
                      const FloatFormat& format) {
  VarianceScratch<Number> numbers;
  return foldline::rounded_spread(operation, moments.values, moments.products, moments.count, ddof, format,
                                  numbers);
}

double rounded_weighted_mean(const Moments& moments, const FloatFormat& format) {
  Number weights;
  Number products;
  return foldline::rounded_weighted_mean(moments.values, moments.products, format, weights, products);
}

template <class Sum>
std::string exact_sum(const Sum& sum) {
  if (sum.specials.any()) return special_name(sum.specials.sum());
  Number magnitude;
  const auto [negative, exponent] = sum.magnitude(magnitude);
  return decimal_digits(negative, magnitude.digit, magnitude.size, exponent);
}

/// The variance divided by `factor`, as a quotient.
std::string exact_variance(const Moments& moments, std::int64_t ddof, std::uint64_t factor) {
  VarianceScratch<Number> numbers;
  const int exponent = variance_numerator(moments.values, moments.products, moments.count, numbers);
  const auto n = static_cast<std::uint64_t>(moments.count);
  Natural<4> product;
  multiply(natural_of<2>(n), natural_of<2>(n - static_cast<std::uint64_t>(ddof)), product);
  Natural<6> divisor;
  multiply(product, natural_of<2>(factor), divisor);
  return decimal_digits(false, numbers.numerator.digit, numbers.numerator.size, exponent) + " / " +
         decimal_digits(false, divisor.digit, divisor.size, 0);
}

std::string exact_deviation(const Moments& moments, std::int64_t ddof, std::uint64_t factor) {
  if (has_no_variance(moments, ddof)) return "nan";
  return "sqrt(" + exact_variance(moments, ddof, factor) + ")";
}

/// The largest element minus the smallest one, with specials for those that are no numbers.
ExactSum<SumLimbs> range_of(const Moments& moments) {
  ExactSum<SumLimbs> range;
  const ExtremeKeys extrema = extrema_of(moments);
  const auto add = [&](WideKey key, bool subtract) {
    const double special = special_extremum(key, extrema);
    if (bits_of(special) != 0) return range.specials.count(subtract ? -special : special);
    const auto [negative, significand, exponent] = from_wide_key(key);
    if (significand == 0) return;
    const int zeros =
        __builtin_ctzll(significand);  // without trailing zeros it is a multiple of the limbs' unit
    const auto magnitude = static_cast<Int128>(significand >> zeros);
    range.add(negative != subtract ? -magnitude : magnitude, exponent + zeros);
  };
  add(extrema.highest, false);
  add(extrema.lowest, true);
  return range;
}

double rounded_number(const Moments& moments, Operation operation, std::int64_t ddof,
                      const FloatFormat& format) {
  switch (operation) {
    case Operation::sum:
      return rounded_sum(moments.values, zero_sum(moments), format);
    case Operation::abs_sum:
      return rounded_sum(moments.magnitudes, 0.0, format);
    case Operation::dot:
      return rounded_sum(moments.products, 0.0, format);
    case Operation::two_norm:
    case Operation::root_mean_square:
      return rounded_of_squares(moments, operation, format);
    case Operation::mean:
      return rounded_mean(moments, format);
    case Operation::variance:
    case Operation::standard_deviation:
    case Operation::standard_error:
      return rounded_spread(moments, operation, ddof, format);
    case Operation::weighted_mean:
      return rounded_weighted_mean(moments, format);
    case Operation::minimum:
      return rounded_extremum(moments.min_key, extrema_of(moments), format);
    case Operation::maximum:
      return rounded_extremum(moments.max_key, extrema_of(moments), format);
    case Operation::range:
      return rounded_range(extrema_of(moments), format);
    case Operation::statistics:
      break;
  }
  return nan();
}

}  // namespace

Scalar rounded_result(const Moments& moments, Operation operation, ElementType type, std::int64_t ddof,
                      Overflow overflow) {
  if (!is_floating(type)) return integer_result(moments, operation, type, overflow);
  return Scalar::from_floating(rounded_number(moments, operation, ddof, format_of(type)), type);
}

std::string exact_result(const Moments& moments, Operation operation, std::int64_t ddof) {
  const std::string count = std::to_string(moments.count);
  switch (operation) {
    case Operation::sum:
      return exact_sum(moments.values);
    case Operation::abs_sum:
      return exact_sum(moments.magnitudes);
    case Operation::dot:
      return exact_sum(moments.products);
    case Operation::two_norm: {
      const std::string square = exact_sum(moments.products);
      return moments.products.specials.any() ? square : "sqrt(" + square + ")";
    }
    case Operation::root_mean_square: {
      if (moments.count == 0) return "nan";
      const std::string square = exact_sum(moments.products);
      return moments.products.specials.any() ? square : "sqrt(" + square + " / " + count + ")";
    }
    case Operation::mean: {
      if (moments.count == 0) return "nan";
      const std::string sum = exact_sum(moments.values);
      return moments.values.specials.any() ? sum : sum + " / " + count;
    }
    case Operation::variance:
      return has_no_variance(moments, ddof) ? "nan" : exact_variance(moments, ddof, 1);
    case Operation::standard_deviation:
      return exact_deviation(moments, ddof, 1);
    case Operation::standard_error:
      return exact_deviation(moments, ddof, static_cast<std::uint64_t>(moments.count));
    case Operation::range:
      return exact_sum(range_of(moments));
    case Operation::weighted_mean: {
      const double rounded = rounded_weighted_mean(moments, format_of_double);
      if ((bits_of(rounded) & infinity_bits) == infinity_bits &&
          (moments.products.specials.any() || rounded != rounded))
        return special_name(rounded);
      return exact_sum(moments.products) + " / " + exact_sum(moments.values);
    }
    case Operation::minimum:
      return exact_extremum(moments.min_key, moments);
    case Operation::maximum:
      return exact_extremum(moments.max_key, moments);
    case Operation::statistics:
      break;
  }
  return "nan";
}

}  // namespace foldline
