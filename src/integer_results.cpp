#include "integer_results.hpp"

#include <string>

#include "arithmetic/natural.hpp"
#include "foldline/error.hpp"
#include "results.hpp"

namespace foldline {

namespace {

/// The longest sum, of products, shifted up to a unit of 1.
using Number = Natural<160>;

/// A number of which an integer type keeps at most 64 bits.
struct Integer {
  bool negative;
  std::uint64_t low;  // of the magnitude, modulo 2^64
  bool longer;        // whether the magnitude has more bits
  bool whole;         // whether the number is an integer
};

template <int C>
Integer integer_of(bool negative, Natural<C>& magnitude, int exponent) {
  bool whole = true;
  int first = 0;  // digit of weight 1
  if (exponent >= 0) {
    shift_up(magnitude, exponent);
  } else {
    shift_up(magnitude, (32 - -exponent % 32) % 32);
    first = (-exponent + 31) / 32;
    for (int i = 0; i < first && i < magnitude.size; ++i) whole = whole && magnitude.digit[i] == 0;
  }
  const auto digit = [&](int i) { return i < magnitude.size ? std::uint64_t{magnitude.digit[i]} : 0; };
  return {negative, digit(first + 1) << 32 | digit(first), magnitude.size > first + 2, whole};
}

template <class Sum>
Integer integer_of(const Sum& sum) {
  if (sum.is_compact()) {  // every sum of integers that was added in one go
    Uint128 compact = 0;
    const auto [negative, exponent] = sum.compact_magnitude(compact);
    if (exponent == 0) return {negative, static_cast<std::uint64_t>(compact), compact >> 64 != 0, true};
  }
  Number magnitude;
  const auto [negative, exponent] = sum.magnitude(magnitude);
  return integer_of(negative, magnitude, exponent);
}

Integer integer_of(WideKey key) {
  const Decomposed parts = from_wide_key(key);
  if (parts.significand == 0) return {false, 0, false, true};
  auto magnitude = natural_of<40>(parts.significand);  // a double shifted up to a unit of 1 has 32 digits
  return integer_of(parts.negative, magnitude, parts.exponent);
}

int bits_of_type(ElementType type) {
  return type == ElementType::boolean ? 1 : 8 * static_cast<int>(size_of(type));
}

bool fits(const Integer& value, ElementType type) {
  if (value.longer) return false;
  const int bits = bits_of_type(type) - (is_signed(type) ? 1 : 0);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
  if (!value.negative || value.low == 0) return value.low <= largest;
  return is_signed(type) && value.low <= largest + 1;
}

/// The value modulo 2^bits, in the range of the type.
Scalar wrapped(const Integer& value, ElementType type) {
  const int unused = 64 - bits_of_type(type);
  const std::uint64_t bits = (value.negative ? ~value.low + 1 : value.low) << unused;
  const std::uint64_t extended = is_signed(type)
                                     ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused)
                                     : bits >> unused;
  return Scalar::from_integer(extended, type);
}

[[noreturn]] void refuse(const Moments& moments, Operation operation, ElementType type, bool finite,
                         bool whole) {
  const std::string what = std::string(name_of(operation)) + ": the result " +
                           exact_result(moments, operation, 0) + " does not fit " +
                           std::string(name_of(type));
  const std::string remedy = "ask for a floating-point type";
  if (finite && !whole) throw InvalidArgument(what + ": it is not a whole number; " + remedy);
  if (!finite) throw OverflowError(what, remedy, false);
  throw OverflowError(what,
                      remedy + (size_of(type) < 8 ? " or a wider one" : "") +
                          ", or with Overflow::wrap for the result modulo 2^" +
                          std::to_string(bits_of_type(type)),
                      true);
}

/// `finite`: whether the operation's sum or extremum is a number.
Integer integer_of(const Moments& moments, Operation operation, bool& finite) {
  const auto of_sum = [&](const auto& sum) {
    finite = !sum.specials.any();
    return finite ? integer_of(sum) : Integer{};
  };
  const auto of_extremum = [&](WideKey key) {
    const bool nan = moments.min_key < ~wide_infinity || moments.max_key > wide_infinity;
    finite = !nan && key != wide_infinity && key != ~wide_infinity;
    return finite ? integer_of(key) : Integer{};
  };
  switch (operation) {
    case Operation::sum:
      return of_sum(moments.values);
    case Operation::abs_sum:
      return of_sum(moments.magnitudes);
    case Operation::dot:
      return of_sum(moments.products);
    case Operation::minimum:
      return of_extremum(moments.min_key);
    default:
      return of_extremum(moments.max_key);
  }
}

}  // namespace

Scalar integer_result(const Moments& moments, Operation operation, ElementType type, Overflow overflow) {
  if (moments.count == 0 && needs_of(operation).extrema)
    throw InvalidArgument(std::string(name_of(operation)) + ": there is none of an empty vector, and " +
                          std::string(name_of(type)) + " has no NaN; ask for a floating-point type");
  bool finite = true;
  const Integer value = integer_of(moments, operation, finite);
  if (finite && value.whole && (overflow == Overflow::wrap || fits(value, type))) return wrapped(value, type);
  refuse(moments, operation, type, finite, value.whole);
}

}  // namespace foldline
