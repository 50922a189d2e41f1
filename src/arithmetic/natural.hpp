// Natural numbers of up to `Capacity` 32-bit digits, for the last step of a result: squares, products and
// quotients of exact sums. Schoolbook methods: the numbers are short and there is one of them per call.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

template <int Capacity>
struct Natural {
  int size = 0;  // digits in use; the highest is not zero
  std::uint32_t digit[Capacity];

  FOLDLINE_HOST_DEVICE void trim() {
    while (size > 0 && digit[size - 1] == 0) --size;
  }
  FOLDLINE_HOST_DEVICE bool is_zero() const { return size == 0; }
  FOLDLINE_HOST_DEVICE int bit_length() const {
    return size == 0 ? 0 : 32 * size - (leading_zeros(digit[size - 1]) - 32);
  }
};

template <int C>
FOLDLINE_HOST_DEVICE Natural<C> natural_of(Uint128 value) {
  Natural<C> result;
  for (int i = 0; i < C && i < 4; ++i) result.digit[i] = 0;
  for (; value != 0; value >>= 32) result.digit[result.size++] = static_cast<std::uint32_t>(value);
  return result;
}

/// a * 2^(32 words)
template <int C>
FOLDLINE_HOST_DEVICE void shift_up_words(Natural<C>& a, int words) {
  if (a.size == 0) return;
  for (int i = a.size - 1; i >= 0; --i) a.digit[i + words] = a.digit[i];
  for (int i = 0; i < words; ++i) a.digit[i] = 0;
  a.size += words;
}

/// a * 2^bits
template <int C>
FOLDLINE_HOST_DEVICE void shift_up(Natural<C>& a, int bits) {
  shift_up_words(a, bits / 32);
  bits %= 32;
  if (bits == 0 || a.size == 0) return;
  std::uint32_t carry = 0;
  for (int i = 0; i < a.size; ++i) {
    const std::uint32_t next = a.digit[i] >> (32 - bits);
    a.digit[i] = a.digit[i] << bits | carry;
    carry = next;
  }
  if (carry != 0) a.digit[a.size++] = carry;
}

template <int C>
FOLDLINE_HOST_DEVICE int compare(const Natural<C>& a, const Natural<C>& b) {
  if (a.size != b.size) return a.size < b.size ? -1 : 1;
  for (int i = a.size - 1; i >= 0; --i)
    if (a.digit[i] != b.digit[i]) return a.digit[i] < b.digit[i] ? -1 : 1;
  return 0;
}

/// a - b, for a >= b
template <int C>
FOLDLINE_HOST_DEVICE void subtract(Natural<C>& a, const Natural<C>& b) {
  std::int64_t borrow = 0;
  for (int i = 0; i < a.size; ++i) {
    const std::int64_t difference =
        static_cast<std::int64_t>(a.digit[i]) - (i < b.size ? b.digit[i] : 0) + borrow;
    a.digit[i] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 32;
  }
  a.trim();
}

/// product = a * b; three distinct objects.
template <int C, int CA, int CB>
FOLDLINE_HOST_DEVICE void multiply(const Natural<CA>& a, const Natural<CB>& b, Natural<C>& product) {
  product.size = a.size + b.size;
  for (int i = 0; i < product.size; ++i) product.digit[i] = 0;
  for (int i = 0; i < a.size; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < b.size; ++j) {
      carry += static_cast<std::uint64_t>(a.digit[i]) * b.digit[j] + product.digit[i + j];
      product.digit[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    product.digit[i + b.size] = static_cast<std::uint32_t>(carry);
  }
  product.trim();
}

/// a becomes floor(a / divisor); returns the remainder. divisor != 0.
template <int C>
FOLDLINE_HOST_DEVICE std::uint64_t divide(Natural<C>& a, std::uint64_t divisor) {
  std::uint64_t remainder = 0;
  for (int i = a.size - 1; i >= 0; --i) {
    const Uint128 dividend = static_cast<Uint128>(remainder) << 32 | a.digit[i];
    // A dividend of 64 bits, the common case, takes one instruction instead of a library call.
    if (static_cast<std::uint64_t>(dividend >> 64) == 0) {
      const auto low = static_cast<std::uint64_t>(dividend);
      a.digit[i] = static_cast<std::uint32_t>(low / divisor);
      remainder = low % divisor;
    } else {
      a.digit[i] = static_cast<std::uint32_t>(dividend / divisor);
      remainder = static_cast<std::uint64_t>(dividend % divisor);
    }
  }
  a.trim();
  return remainder;
}

/// Sign and magnitude of limbs, which may have pending carries, without leading and trailing zero digits.
struct SignedDigits {
  bool negative;
  int skipped;  // zero words dropped at the low end: the magnitude counts from word `skipped`
};
template <int C>
FOLDLINE_HOST_DEVICE SignedDigits magnitude_of(const std::int64_t* word, int count, Natural<C>& magnitude) {
  int first = 0;
  while (first < count && word[first] == 0) ++first;
  int last = count;
  while (last > first && word[last - 1] == 0) --last;
  // Two's complement digits, with two more for the carries out of the highest word; then the absolute value.
  magnitude.size = 0;
  std::int64_t carry = 0;
  for (int i = first; i < last; ++i) {
    const std::int64_t sum = word[i] + carry;
    magnitude.digit[magnitude.size++] = static_cast<std::uint32_t>(sum);
    carry = sum >> 32;
  }
  const bool negative = carry < 0;
  magnitude.digit[magnitude.size++] = static_cast<std::uint32_t>(carry);
  magnitude.digit[magnitude.size++] = static_cast<std::uint32_t>(carry >> 32);
  if (negative) {
    std::uint64_t plus_one = 1;
    for (int i = 0; i < magnitude.size; ++i) {
      plus_one += static_cast<std::uint32_t>(~magnitude.digit[i]);
      magnitude.digit[i] = static_cast<std::uint32_t>(plus_one);
      plus_one >>= 32;
    }
  }
  magnitude.trim();
  return {negative, first};
}

}  // namespace foldline
