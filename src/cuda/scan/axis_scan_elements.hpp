// The elements and results of scans along an axis. A kind of elements has a Word that holds either, functions
// that read and write them, and the running sum that makes results of elements. For the host, too, so that
// tests need no GPU.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "cuda/scan/axis_scan_task.hpp"
#include "results/rounded_results.hpp"
#ifdef __CUDACC__
#include "cuda/device/any_vector.cuh"
#include "cuda/finish/result_words.cuh"
#endif

namespace foldline::cuda {

/// The bits of a number of a type; NaN is the canonical one.
FOLDLINE_HOST_DEVICE inline std::uint64_t bits_of_number(double x, ElementType type) {
#ifdef __CUDA_ARCH__
  return encoded(x, type);
#else
  const bool is_nan = x != x;
  const auto narrow = static_cast<float>(x);
  std::uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  if (type == ElementType::half) return is_nan ? 0x7e00u : half(narrow).bits;
  if (type == ElementType::bfloat16) return is_nan ? 0x7fc0u : bits >> 16;
  if (type == ElementType::float32) return is_nan ? 0x7fc00000u : bits;
  return is_nan ? canonical_nan : bits_of(x);
#endif
}

/// The bits in a type of a number that was rounded to odd, and is not NaN.
FOLDLINE_HOST_DEVICE inline std::uint64_t bits_of_odd(double odd, ElementType type,
                                                      [[maybe_unused]] const FloatFormat& format) {
#ifdef __CUDA_ARCH__
  if (type == ElementType::half) return __half_as_ushort(__double2half(odd));
  if (type == ElementType::float32) return __float_as_uint(__double2float_rn(odd));
  // To odd once more, then to nearest.
  const float narrow = __double2float_rz(odd);
  const unsigned bits = __float_as_uint(narrow) | (static_cast<double>(narrow) != odd ? 1u : 0u);
  return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
#else
  const Decomposed parts = decompose(odd);
  const bool is_rounded = parts.significand == 0 || !foldline::is_finite(odd);
  return bits_of_number(
      is_rounded ? odd : round(parts.negative, {parts.significand, parts.exponent, false}, format), type);
#endif
}

FOLDLINE_HOST_DEVICE inline double widened_half(std::uint16_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<double>(__half2float(__ushort_as_half(bits)));
#else
  return static_cast<double>(static_cast<float>(half::from_bits(bits)));
#endif
}
FOLDLINE_HOST_DEVICE inline double widened_float(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return static_cast<double>(__uint_as_float(bits));
#else
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return static_cast<double>(x);
#endif
}

/// `size` bytes at any address.
FOLDLINE_HOST_DEVICE inline std::uint64_t bytes_at(const std::byte* address, int size) {
#ifdef __CUDA_ARCH__
  return bits_at(address, size);
#else
  std::uint64_t bits = 0;
  std::memcpy(&bits, address, static_cast<std::size_t>(size));
  return bits;
#endif
}
FOLDLINE_HOST_DEVICE inline void store_bytes(std::byte* address, std::uint64_t bits, int size) {
#ifdef __CUDA_ARCH__
  store_bits(address, bits, size);
#else
  std::memcpy(address, &bits, static_cast<std::size_t>(size));
#endif
}

/// Floating-point elements of one type, aligned, and results of the same type.
template <ElementType Type>
struct SameFloats {
  using Word = std::conditional_t<Type == ElementType::float64, std::uint64_t, std::uint32_t>;
  using Stored =
      std::conditional_t<Type == ElementType::half || Type == ElementType::bfloat16, std::uint16_t, Word>;
  static constexpr bool has_integer_results = false;
  static constexpr Word neutral = Word{1} << (8 * sizeof(Stored) - 1);  // -0

  static FOLDLINE_HOST_DEVICE Word read(const AxisScanTask&, const std::byte* from) {
    return *reinterpret_cast<const Stored*>(from);
  }
  static FOLDLINE_HOST_DEVICE void write(const AxisScanTask&, std::byte* to, Word word) {
    *reinterpret_cast<Stored*>(to) = static_cast<Stored>(word);
  }
  template <class Add>
  static FOLDLINE_HOST_DEVICE bool for_each_number(const AxisScanTask&, Word word, const Add& add) {
    if constexpr (Type == ElementType::float64)
      return add(from_bits(word));
    else if constexpr (Type == ElementType::half)
      return add(widened_half(static_cast<std::uint16_t>(word)));
    else
      return add(widened_float(Type == ElementType::float32 ? word : word << 16));
  }
  static FOLDLINE_HOST_DEVICE Word rounded(const AxisScanTask& task, const TwoDoubles& sum) {
    if constexpr (Type == ElementType::float64)
      return bits_of(sum.rounded());
    else
      return static_cast<Word>(bits_of_odd(sum.rounded_to_odd(), Type, task.format));
  }
};

/// Any elements, anywhere, and floating-point results.
struct AnyToFloats {
  using Word = std::uint64_t;
  static constexpr bool has_integer_results = false;
  static constexpr Word neutral = sign_bit;

  /// Floating-point elements as doubles, integers as they are.
  static FOLDLINE_HOST_DEVICE Word read(const AxisScanTask& task, const std::byte* from) {
    const std::uint64_t word = bytes_at(from, task.element_bytes);
    switch (task.type) {
      case ElementType::half:
        return bits_of(widened_half(static_cast<std::uint16_t>(word)));
      case ElementType::bfloat16:
        return bits_of(widened_float(static_cast<std::uint32_t>(word) << 16));
      case ElementType::float32:
        return bits_of(widened_float(static_cast<std::uint32_t>(word)));
      case ElementType::boolean:
        return word != 0 ? 1 : 0;
      default:
        break;
    }
    const int above = 64 - 8 * task.element_bytes;
    return task.has_sign ? static_cast<Word>(static_cast<std::int64_t>(word << above) >> above) : word;
  }
  static FOLDLINE_HOST_DEVICE void write(const AxisScanTask& task, std::byte* to, Word word) {
    store_bytes(to, word, task.out_bytes);
  }
  template <class Add>
  static FOLDLINE_HOST_DEVICE bool for_each_number(const AxisScanTask& task, Word word, const Add& add) {
    if (task.has_float_elements) return add(from_bits(word));
    const auto high = static_cast<std::uint32_t>(word >> 32);
    const double top =
        task.has_sign ? static_cast<double>(static_cast<std::int32_t>(high)) : static_cast<double>(high);
    const bool is_exact = add(top * 0x1p32);
    return add(static_cast<double>(static_cast<std::uint32_t>(word))) && is_exact;
  }
  static FOLDLINE_HOST_DEVICE Word rounded(const AxisScanTask& task, const TwoDoubles& sum) {
    return task.out_bytes == 8 ? bits_of(sum.rounded())
                               : bits_of_odd(sum.rounded_to_odd(), task.out_type, task.format);
  }
};

/// Integers, anywhere, and integer results.
struct Integers {
  using Word = std::uint64_t;
  static constexpr bool has_integer_results = true;
  static constexpr Word neutral = 0;

  static FOLDLINE_HOST_DEVICE Word read(const AxisScanTask& task, const std::byte* from) {
    return AnyToFloats::read(task, from);
  }
  static FOLDLINE_HOST_DEVICE void write(const AxisScanTask& task, std::byte* to, Word word) {
    store_bytes(to, word, task.out_bytes);
  }
  static FOLDLINE_HOST_DEVICE Uint128 number(const AxisScanTask& task, Word word) {
    return task.has_sign ? static_cast<Uint128>(Int128{static_cast<std::int64_t>(word)}) : Uint128{word};
  }
};

}  // namespace foldline::cuda
