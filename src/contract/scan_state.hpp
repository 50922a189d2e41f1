// The state of a scan between elements, and between blocks of them.
#pragma once

#include "arithmetic/exact_prefix.hpp"
#include "contract/moments.hpp"
#include "foldline/types.hpp"

namespace foldline {

template <class T>
inline constexpr FloatFormat format_for = std::same_as<T, half>       ? format_of_half
                                          : std::same_as<T, bfloat16> ? format_of_bfloat16
                                          : std::same_as<T, float>    ? format_of_float
                                                                      : format_of_double;

/// The sum of all elements so far, exact.
struct ScanState {
  ExactPrefix prefix;  // of the finite elements; unspecified after a NaN or an infinity
  Specials specials;
  /// Whether every element so far was -0, which decides the sign of a zero sum.
  bool only_negative_zeros = true;

  FOLDLINE_HOST_DEVICE void add(double x) {
    const std::uint64_t bits = bits_of(x);
    if ((bits & infinity_bits) == infinity_bits)
      specials.count(x);
    else if (!specials.any())
      prefix.add(x);
    only_negative_zeros = only_negative_zeros && bits == sign_bit;
  }

  FOLDLINE_HOST_DEVICE void add_integer(Int128 value) {
    prefix.add_integer(value);
    only_negative_zeros = false;  // an integer 0 is +0
  }

  /// Adds the elements that these are the moments of.
  void add(const Moments& total) {
    prefix.add(total.values);
    specials.merge(total.values.specials);
    only_negative_zeros = only_negative_zeros && total.only_negative_zeros;
  }

  /// The sum, a whole number. Of one beyond 2^126 only the low 64 bits are right; it stays beyond all types
  /// of integers, and below 2^127, whatever elements in memory are added.
  Uint128 integer() const {
    const Uint128 low = static_cast<std::uint64_t>(prefix.floor_of_quotient(0));
    if (prefix.bound() > 126) return Uint128{1} << 126 | low;
    return static_cast<Uint128>(static_cast<std::uint64_t>(prefix.floor_of_quotient(64))) << 64 | low;
  }

  /// The sum rounded once; there must have been an element.
  FOLDLINE_HOST_DEVICE double rounded(const FloatFormat& format) const {
    if (specials.any()) return specials.sum();
    if (prefix.is_zero()) return from_bits(only_negative_zeros ? sign_bit : 0);
    return prefix.rounded(format);
  }
};

}  // namespace foldline
