// Elements of any type as integers times powers of two.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "arithmetic/floating_point.hpp"
#include "contract/order_key.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// One element: +-significand * 2^exponent, or a special value.
struct Term {
  std::uint64_t significand = 0;
  std::int32_t exponent = 0;
  bool negative = false;
  bool is_special = false;  ///< NaN or infinite
  double special = 0;

  bool is_negative_zero() const { return negative && significand == 0 && !is_special; }
  WideKey key() const { return is_special ? wide_key(special) : wide_key(negative, significand, exponent); }
  /// A number with the same special value or sign: NaN, an infinity, 1, 0 or the negative of one.
  double representative() const {
    if (is_special) return special;
    const double magnitude = significand != 0 ? 1 : 0;
    return negative ? -magnitude : magnitude;
  }
};

/// The term of a floating-point number, from its bits: a conversion could flush a subnormal number to zero.
template <int exponent_bits, int fraction_bits>
Term term_of_bits(std::uint64_t bits) {
  constexpr int largest = (1 << exponent_bits) - 1, bias = largest / 2 + fraction_bits;
  const bool negative = (bits >> (exponent_bits + fraction_bits)) != 0;
  const int field = static_cast<int>(bits >> fraction_bits) & largest;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  if (field == largest) {
    const std::uint64_t special = fraction != 0 ? canonical_nan : infinity_bits;
    return {.negative = negative,
            .is_special = true,
            .special = from_bits(negative ? special | sign_bit : special)};
  }
  const std::uint64_t hidden = static_cast<std::uint64_t>(field != 0) << fraction_bits;
  return {
      .significand = fraction | hidden, .exponent = (field != 0 ? field : 1) - bias, .negative = negative};
}

template <class T>
T loaded(const std::byte* at) {
  T x;  // which need not be aligned
  std::memcpy(&x, at, sizeof x);
  return x;
}

template <Element T>
Term term_of(const std::byte* at) {
  if constexpr (std::same_as<T, half>) {
    return term_of_bits<5, 10>(loaded<std::uint16_t>(at));
  } else if constexpr (std::same_as<T, bfloat16>) {
    return term_of_bits<8, 7>(loaded<std::uint16_t>(at));
  } else if constexpr (std::same_as<T, float>) {
    return term_of_bits<8, 23>(loaded<std::uint32_t>(at));
  } else if constexpr (std::same_as<T, double>) {
    return term_of_bits<11, 52>(loaded<std::uint64_t>(at));
  } else if constexpr (std::same_as<T, bool>) {
    return {.significand = *at != std::byte{0}};
  } else if constexpr (std::is_signed_v<T>) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8 is a number here
    const auto x = static_cast<std::int64_t>(loaded<T>(at));
    const auto bits = static_cast<std::uint64_t>(x);
    return {.significand = x < 0 ? ~bits + 1 : bits, .negative = x < 0};
  } else {
    return {.significand = static_cast<std::uint64_t>(loaded<T>(at))};
  }
}

/// Reads the terms of elements first, first + 1, ... of x until `terms` is full.
inline void read_terms(const VectorView& x, std::int64_t first, std::span<Term> terms) {
  detail::visit_type(x.type(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i] = term_of<T>(x.at(first + static_cast<std::int64_t>(i)));
  });
}

}  // namespace foldline
