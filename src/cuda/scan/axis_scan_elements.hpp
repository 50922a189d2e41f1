// The elements and results of scans along an axis. A kind of elements has a Word that holds either, functions
// that read and write them, and the running sum that makes results of elements. For the host, too, so that
// tests need no GPU.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "cuda/device/unsigned_word.hpp"
#include "cuda/scan/axis_scan_task.hpp"
#include "results/rounded_results.hpp"
#ifdef __CUDACC__
#include "cuda/device/any_vector.cuh"
#include "cuda/finish/result_words.cuh"
#endif

/// A function that is called seldom, and would be inlined often; and one that must be inlined.
#ifdef __CUDACC__
#define FOLDLINE_COLD_FUNCTION FOLDLINE_HOST_DEVICE __noinline__
#define FOLDLINE_HOT_FUNCTION FOLDLINE_HOST_DEVICE __forceinline__
#else
#define FOLDLINE_COLD_FUNCTION FOLDLINE_HOST_DEVICE
#define FOLDLINE_HOT_FUNCTION FOLDLINE_HOST_DEVICE
#endif

namespace foldline::cuda {

/// Elements that are scanned at a time.
inline constexpr int scan_batch = 8;

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

/// An element or a result in an array.
template <class Stored>
FOLDLINE_HOST_DEVICE const Stored& stored_at(const std::byte* address) {
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(address));  // otherwise each load would test for other address spaces
#endif
  return *reinterpret_cast<const Stored*>(address);
}
template <class Stored>
FOLDLINE_HOST_DEVICE Stored& stored_at(std::byte* address) {
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(address));
#endif
  return *reinterpret_cast<Stored*>(address);
}

/// The 64 bits of an integer of a type.
FOLDLINE_HOST_DEVICE inline std::uint64_t widened_integer(const AxisScanTask& task, std::uint64_t word) {
  if (task.type == ElementType::boolean) return word != 0 ? 1 : 0;
  const int above = 64 - 8 * task.element_bytes;
  return task.has_sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(word << above) >> above) : word;
}

template <int N, class Widened>
FOLDLINE_HOST_DEVICE void widen_each(std::uint64_t (&words)[N], const Widened& widened) {
#pragma unroll
  for (int i = 0; i < N; ++i) words[i] = widened(words[i]);
}

/// Floating-point elements of one type, aligned, and results of the same type.
template <ElementType Type>
struct SameFloats {
  using Word = std::conditional_t<Type == ElementType::float64, std::uint64_t, std::uint32_t>;
  using Stored =
      std::conditional_t<Type == ElementType::half || Type == ElementType::bfloat16, std::uint16_t, Word>;
  static constexpr bool has_integer_results = false, is_one_type = true;
  static constexpr bool is_shorter_than_double = Type != ElementType::float64;
  static constexpr FOLDLINE_HOST_DEVICE Word neutral(const AxisScanTask&) {
    return Word{1} << (8 * sizeof(Stored) - 1);  // -0
  }

  static FOLDLINE_HOST_DEVICE Word read(const AxisScanTask&, const std::byte* from) {
    return stored_at<Stored>(from);
  }
  static FOLDLINE_HOST_DEVICE void write(const AxisScanTask&, std::byte* to, Word word) {
    stored_at<Stored>(to) = static_cast<Stored>(word);
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
  static FOLDLINE_HOT_FUNCTION Word rounded(const AxisScanTask& task, double sum) {
    return static_cast<Word>(bits_of_odd(sum, Type, task.format));
  }
  static FOLDLINE_HOT_FUNCTION Word rounded(const AxisScanTask& task, const TwoDoubles& sum) {
    if constexpr (Type == ElementType::float64)
      return bits_of(sum.rounded());
    else
      return static_cast<Word>(bits_of_odd(sum.rounded_to_odd(), Type, task.format));
  }
};

/// Any elements, anywhere, and floating-point results.
struct AnyToFloats {
  using Word = std::uint64_t;
  static constexpr bool has_integer_results = false, is_one_type = false, is_shorter_than_double = false;
  static FOLDLINE_HOST_DEVICE Word neutral(const AxisScanTask& task) {
    return task.has_float_elements ? sign_bit : 0;
  }

  static FOLDLINE_COLD_FUNCTION Word read(const AxisScanTask& task, const std::byte* from) {
    Word word[] = {bytes_at(from, task.element_bytes)};
    widen(task, word);
    return word[0];
  }
  /// Floating-point elements to doubles, integers to 64 bits.
  template <int N>
  static FOLDLINE_HOST_DEVICE void widen(const AxisScanTask& task, Word (&words)[N]) {
    switch (task.type) {
      case ElementType::half:
        return widen_each(words,
                          [](Word word) { return bits_of(widened_half(static_cast<std::uint16_t>(word))); });
      case ElementType::bfloat16:
        return widen_each(
            words, [](Word word) { return bits_of(widened_float(static_cast<std::uint32_t>(word) << 16)); });
      case ElementType::float32:
        return widen_each(words,
                          [](Word word) { return bits_of(widened_float(static_cast<std::uint32_t>(word))); });
      case ElementType::float64:
        return;
      default:
        return widen_each(words, [&](Word word) { return widened_integer(task, word); });
    }
  }
  static FOLDLINE_COLD_FUNCTION void write(const AxisScanTask& task, std::byte* to, Word word) {
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
  static constexpr bool has_integer_results = true, is_one_type = false, is_shorter_than_double = false;
  static constexpr FOLDLINE_HOST_DEVICE Word neutral(const AxisScanTask&) { return 0; }

  static FOLDLINE_COLD_FUNCTION Word read(const AxisScanTask& task, const std::byte* from) {
    return widened_integer(task, bytes_at(from, task.element_bytes));
  }
  template <int N>
  static FOLDLINE_HOST_DEVICE void widen(const AxisScanTask& task, Word (&words)[N]) {
    widen_each(words, [&](Word word) { return widened_integer(task, word); });
  }
  static FOLDLINE_COLD_FUNCTION void write(const AxisScanTask& task, std::byte* to, Word word) {
    store_bytes(to, word, task.out_bytes);
  }
  static FOLDLINE_HOST_DEVICE Uint128 number(const AxisScanTask& task, Word word) {
    return task.has_sign ? static_cast<Uint128>(Int128{static_cast<std::int64_t>(word)}) : Uint128{word};
  }
};

/// Reads elements of an array: calls read_each(read, neutral), which sets words by read(address), or to the
/// neutral one.
template <class Kind, int N, class ReadEach>
FOLDLINE_HOST_DEVICE void read_words(const AxisScanTask& task, typename Kind::Word (&words)[N],
                                     const ReadEach& read_each) {
  const auto read = [&](const std::byte* at) { return Kind::read(task, at); };
  if constexpr (Kind::is_one_type) {
    read_each(read, Kind::neutral(task));
  } else if (!task.is_aligned) {
    read_each(read, Kind::neutral(task));
  } else {
    with_unsigned_word(task.element_bytes, [&]<class Stored>(Stored) {
      const std::uint64_t negative_zero = std::uint64_t{1} << (8 * sizeof(Stored) - 1);
      read_each([](const std::byte* at) { return stored_at<Stored>(at); },
                task.has_float_elements ? negative_zero : 0);
    });
    Kind::widen(task, words);
  }
}
/// Writes results: calls write_each(write), which calls write(address, word).
template <class Kind, class WriteEach>
FOLDLINE_HOST_DEVICE void write_words(const AxisScanTask& task, const WriteEach& write_each) {
  using Word = typename Kind::Word;
  const auto write = [&](std::byte* at, Word word) { Kind::write(task, at, word); };
  if constexpr (Kind::is_one_type)
    write_each(write);
  else if (!task.is_aligned)
    write_each(write);
  else
    with_unsigned_word(task.out_bytes, [&]<class Stored>(Stored) {
      write_each([](std::byte* at, Word word) { stored_at<Stored>(at) = static_cast<Stored>(word); });
    });
}

/// Reads elements `step` bytes apart; from number `count` on, neutral ones.
template <class Kind>
FOLDLINE_HOST_DEVICE void read_batch(const AxisScanTask& task, const std::byte* from, std::int64_t step,
                                     std::int64_t count, typename Kind::Word (&words)[scan_batch]) {
  const int present = count < scan_batch ? static_cast<int>(count) : scan_batch;
  read_words<Kind>(task, words, [&](const auto& read, typename Kind::Word neutral) {
#pragma unroll
    for (int i = 0; i < scan_batch; ++i) words[i] = i < present ? read(from + i * step) : neutral;
  });
}

/// Writes the first `count` results `step` bytes apart.
template <class Kind>
FOLDLINE_HOST_DEVICE void write_batch(const AxisScanTask& task, std::byte* to, std::int64_t step,
                                      std::int64_t count, const typename Kind::Word (&words)[scan_batch]) {
  const int present = count < scan_batch ? static_cast<int>(count) : scan_batch;
  write_words<Kind>(task, [&](const auto& write) {
#pragma unroll
    for (int i = 0; i < scan_batch; ++i)
      if (i < present) write(to + i * step, words[i]);
  });
}

}  // namespace foldline::cuda
