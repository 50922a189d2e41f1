// Integers of 192 bits: sums of integers that 128 bits do not hold.
#pragma once

#include <cstdint>

#include "arithmetic/host_device.hpp"

namespace foldline {

/// Two's complement, lowest word first. 2^63 products of two 64-bit integers stay below 2^191.
struct Int192 {
  std::uint64_t word[3];

  FOLDLINE_HOST_DEVICE bool is_negative() const { return static_cast<std::int64_t>(word[2]) < 0; }
};

FOLDLINE_HOST_DEVICE inline Uint128 low_half(const Int192& a) { return Uint128{a.word[1]} << 64 | a.word[0]; }

FOLDLINE_HOST_DEVICE inline Int192 int192_of(Uint128 value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), 0};
}
FOLDLINE_HOST_DEVICE inline Int192 int192_of(Int128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return {static_cast<std::uint64_t>(value), high,
          static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> 63)};
}

FOLDLINE_HOST_DEVICE inline Int192 operator+(const Int192& a, const Int192& b) {
#if defined(__CUDA_ARCH__)
  Int192 sum;
  asm("add.cc.u64 %0, %3, %6;\n\taddc.cc.u64 %1, %4, %7;\n\taddc.u64 %2, %5, %8;"
      : "=l"(sum.word[0]), "=l"(sum.word[1]), "=l"(sum.word[2])
      : "l"(a.word[0]), "l"(a.word[1]), "l"(a.word[2]), "l"(b.word[0]), "l"(b.word[1]), "l"(b.word[2]));
  return sum;
#else
  const Uint128 low = low_half(a) + low_half(b);
  Int192 sum = int192_of(low);
  sum.word[2] = a.word[2] + b.word[2] + (low < low_half(b) ? 1 : 0);
  return sum;
#endif
}
FOLDLINE_HOST_DEVICE inline Int192& operator+=(Int192& a, const Int192& b) { return a = a + b; }
FOLDLINE_HOST_DEVICE inline Int192& operator+=(Int192& a, Uint128 b) {
  const Uint128 low = low_half(a) + b;
  return a = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
              a.word[2] + (low < b ? 1 : 0)};
}
FOLDLINE_HOST_DEVICE inline Int192& operator+=(Int192& a, Int128 b) {
  a += static_cast<Uint128>(b);
  a.word[2] -= b < 0 ? 1 : 0;
  return a;
}

FOLDLINE_HOST_DEVICE inline Int192 operator-(const Int192& a, const Int192& b) {
#if defined(__CUDA_ARCH__)
  Int192 difference;
  asm("sub.cc.u64 %0, %3, %6;\n\tsubc.cc.u64 %1, %4, %7;\n\tsubc.u64 %2, %5, %8;"
      : "=l"(difference.word[0]), "=l"(difference.word[1]), "=l"(difference.word[2])
      : "l"(a.word[0]), "l"(a.word[1]), "l"(a.word[2]), "l"(b.word[0]), "l"(b.word[1]), "l"(b.word[2]));
  return difference;
#else
  Int192 difference = int192_of(low_half(a) - low_half(b));
  difference.word[2] = a.word[2] - b.word[2] - (low_half(a) < low_half(b) ? 1 : 0);
  return difference;
#endif
}

}  // namespace foldline
