// Floating-point numbers as integers: taking doubles apart and putting results together. No floating-point
// operation happens here, so nothing depends on the rounding mode or on flush-to-zero.
#pragma once

#include <cstdint>
#include <cstring>

#include "arithmetic/host_device.hpp"

namespace foldline {

inline constexpr int fraction_bits = 52;
inline constexpr int exponent_bias = 1023;
/// A double is significand * 2^(max(exponent field, 1) - 1075).
inline constexpr int significand_bias = exponent_bias + fraction_bits;
inline constexpr int smallest_exponent = -1074;
inline constexpr int infinite_field = 0x7ff;
inline constexpr std::uint64_t infinity_bits = 0x7ff0000000000000u;
inline constexpr std::uint64_t canonical_nan = 0x7ff8000000000000u;
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

FOLDLINE_HOST_DEVICE inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

FOLDLINE_HOST_DEVICE inline double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

FOLDLINE_HOST_DEVICE inline bool is_finite(double x) { return (bits_of(x) & infinity_bits) != infinity_bits; }

/// 2^exponent, for a normal result: exponent in [-1022, 1023].
FOLDLINE_HOST_DEVICE inline double power_of_two(int exponent) {
  return from_bits(static_cast<std::uint64_t>(exponent + exponent_bias) << fraction_bits);
}

/// A finite double as an integer times a power of two.
struct Decomposed {
  bool negative;
  std::uint64_t significand;  // < 2^53
  int exponent;               // x = +-significand * 2^exponent
};

FOLDLINE_HOST_DEVICE inline Decomposed decompose(double x) {
  const std::uint64_t bits = bits_of(x);
  const int field = static_cast<int>(bits >> fraction_bits) & infinite_field;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t hidden = static_cast<std::uint64_t>(field != 0) << fraction_bits;
  return {(bits >> 63) != 0, fraction | hidden, (field != 0 ? field : 1) - significand_bias};
}

FOLDLINE_HOST_DEVICE inline int leading_zeros(std::uint64_t x) {  // x != 0
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(x));
#else
  return __builtin_clzll(x);
#endif
}

/// A binary floating-point format that results are rounded to.
struct FloatFormat {
  int precision;     // significant bits
  int min_exponent;  // of the last place of a subnormal
  int max_exponent;  // the finite numbers are below 2^max_exponent
};

inline constexpr FloatFormat format_of_double{53, -1074, 1024};
inline constexpr FloatFormat format_of_float{24, -149, 128};
inline constexpr FloatFormat format_of_half{11, -24, 16};
inline constexpr FloatFormat format_of_bfloat16{8, -133, 128};

}  // namespace foldline
