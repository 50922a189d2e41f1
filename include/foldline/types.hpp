/// @file
/// Element types: what foldline adds up, and the two 16-bit formats that C++20 has no name for.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace foldline {

namespace detail {

/// Narrows a float to a 16-bit format with `fraction_bits` bits of fraction and `exponent_bits` of exponent,
/// to nearest, ties to even; a NaN becomes the canonical quiet NaN.
constexpr std::uint16_t narrow_to_16_bits(float value, int exponent_bits, int fraction_bits) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 31) << 15);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const auto infinity = static_cast<std::uint16_t>(((1u << exponent_bits) - 1) << fraction_bits);
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(infinity | (1u << (fraction_bits - 1)));
  if (magnitude == 0x7f800000u) return static_cast<std::uint16_t>(sign | infinity);
  // The value is significand * 2^(exponent - 150); its last place in the narrow format is 2^place.
  const int exponent_field = static_cast<int>(magnitude >> 23);
  const std::uint32_t significand = exponent_field == 0 ? magnitude : ((magnitude & 0x7fffffu) | 0x800000u);
  const int exponent = exponent_field == 0 ? 1 : exponent_field;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int narrow_exponent = exponent - 127 + bias;  // field of the result while it is normal
  const int shift = 23 - fraction_bits + (narrow_exponent < 1 ? 1 - narrow_exponent : 0);
  if (shift > 25) return sign;  // below half of the smallest subnormal
  const std::uint32_t kept = significand >> shift;
  const std::uint32_t lost = significand & ((1u << shift) - 1);
  const std::uint32_t half = 1u << (shift - 1);
  const std::uint32_t rounded = kept + ((lost > half || (lost == half && (kept & 1u) != 0)) ? 1u : 0u);
  // Adding to the exponent field carries a rounded-up significand into the next binade by itself.
  const std::uint32_t field = narrow_exponent < 1 ? 0u : static_cast<std::uint32_t>(narrow_exponent - 1);
  const std::uint32_t result = (field << fraction_bits) + rounded;
  return static_cast<std::uint16_t>(sign | (result >= infinity ? infinity : result));
}

/// Widens a 16-bit format to float: always exact.
constexpr float widen_from_16_bits(std::uint16_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t field = (bits >> fraction_bits) & ((1u << exponent_bits) - 1);
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1u);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (field == (1u << exponent_bits) - 1)
    return std::bit_cast<float>(sign | 0x7f800000u | (fraction << (23 - fraction_bits)));
  if (exponent_bits == 8)
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(bits & 0x7fffu) << 16));
  if (field == 0) {  // subnormal: fraction * 2^(1 - bias - fraction_bits), a normal float
    const float scale =
        std::bit_cast<float>(static_cast<std::uint32_t>(127 + 1 - bias - fraction_bits) << 23);
    const float magnitude = static_cast<float>(fraction) * scale;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((field + 127u - static_cast<std::uint32_t>(bias)) << 23) |
                              (fraction << (23 - fraction_bits)));
}

}  // namespace detail

/// IEEE 754 binary16: 11 significant bits, 2^-24 .. 65504. Storage only; same layout as CUDA's __half.
struct half {
  std::uint16_t bits = 0;  ///< as in memory
  half() = default;
  /// Rounds to nearest, ties to even.
  explicit constexpr half(float value) : bits(detail::narrow_to_16_bits(value, 5, 10)) {}
  /// Exact.
  explicit constexpr operator float() const { return detail::widen_from_16_bits(bits, 5, 10); }
  /// The number that these bits stand for.
  [[nodiscard]] static constexpr half from_bits(std::uint16_t bits) {
    half result;
    result.bits = bits;
    return result;
  }
};

/// bfloat16: the upper half of a float, 8 significant bits. Storage only; same layout as CUDA's
/// __nv_bfloat16.
struct bfloat16 {
  std::uint16_t bits = 0;  ///< as in memory
  bfloat16() = default;
  /// Rounds to nearest, ties to even.
  explicit constexpr bfloat16(float value) : bits(detail::narrow_to_16_bits(value, 8, 7)) {}
  /// Exact.
  explicit constexpr operator float() const { return detail::widen_from_16_bits(bits, 8, 7); }
  /// The number that these bits stand for.
  [[nodiscard]] static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }
};

/// The type of an array's elements where it is known at run time only.
///
/// The numbers are fixed: bindings and files may store them, and no later version gives one of them another
/// meaning. New types get numbers of their own; 16 and 17 are kept for complex64 and complex128, 24 to 31 for
/// floating-point types of 8 bits. Their order means nothing: is_floating() and is_signed() tell what a type
/// is. Calls refuse a number that is none of these (InvalidArgument).
enum class ElementType : std::uint8_t {
  half = 0,
  bfloat16 = 1,
  float32 = 2,
  float64 = 3,
  int8 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  uint8 = 8,
  uint16 = 9,
  uint32 = 10,
  uint64 = 11,
  boolean = 12  ///< one byte; 0 is false and everything else true
};

/// All element types.
inline constexpr std::array<ElementType, 13> element_types = {
    ElementType::half,   ElementType::bfloat16, ElementType::float32, ElementType::float64,
    ElementType::int8,   ElementType::int16,    ElementType::int32,   ElementType::int64,
    ElementType::uint8,  ElementType::uint16,   ElementType::uint32,  ElementType::uint64,
    ElementType::boolean};

namespace detail {
template <class T, class... Others>
concept OneOf = (std::same_as<T, Others> || ...);
}

template <class T>
concept FloatingElement = detail::OneOf<T, half, bfloat16, float, double>;

/// The standard integer types, each by its size and signedness, and bool. The character types are text, not
/// numbers, and char is signed on one machine and not on the next.
template <class T>
concept IntegerElement = detail::OneOf<T, bool, signed char, short, int, long, long long, unsigned char,
                                       unsigned short, unsigned, unsigned long, unsigned long long>;

template <class T>
concept Element = FloatingElement<T> || IntegerElement<T>;

namespace detail {
template <Element T>
constexpr ElementType element_type() {
  if constexpr (std::same_as<T, half>) return ElementType::half;
  if constexpr (std::same_as<T, bfloat16>) return ElementType::bfloat16;
  if constexpr (std::same_as<T, float>) return ElementType::float32;
  if constexpr (std::same_as<T, double>) return ElementType::float64;
  if constexpr (std::same_as<T, bool>) return ElementType::boolean;
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1:
      return is_signed ? ElementType::int8 : ElementType::uint8;
    case 2:
      return is_signed ? ElementType::int16 : ElementType::uint16;
    case 4:
      return is_signed ? ElementType::int32 : ElementType::uint32;
    default:
      return is_signed ? ElementType::int64 : ElementType::uint64;
  }
}
}  // namespace detail

/// The ElementType of a C++ type.
template <Element T>
inline constexpr ElementType element_type_of = detail::element_type<T>();

/// Bytes per element.
[[nodiscard]] constexpr std::int64_t size_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::boolean:
      return 1;
    case ElementType::half:
    case ElementType::bfloat16:
    case ElementType::int16:
    case ElementType::uint16:
      return 2;
    case ElementType::float32:
    case ElementType::int32:
    case ElementType::uint32:
      return 4;
    case ElementType::float64:
    case ElementType::int64:
    case ElementType::uint64:
      break;
  }
  return 8;
}

/// Whether it is one of the floating-point types; the others, bool among them, hold integers.
[[nodiscard]] constexpr bool is_floating(ElementType type) {
  switch (type) {
    case ElementType::half:
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::float64:
      return true;
    default:
      return false;
  }
}

/// Whether it has negative values.
[[nodiscard]] constexpr bool is_signed(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::int32:
    case ElementType::int64:
      return true;
    default:
      return is_floating(type);
  }
}

/// The names NumPy and PyTorch use: "float16", "bfloat16", "float32", "float64", "int8" to "int64", "uint8"
/// to "uint64", "bool"; "unknown" for a number that is no type's.
[[nodiscard]] constexpr std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::half:
      return "float16";
    case ElementType::bfloat16:
      return "bfloat16";
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      return "float64";
    case ElementType::int8:
      return "int8";
    case ElementType::int16:
      return "int16";
    case ElementType::int32:
      return "int32";
    case ElementType::int64:
      return "int64";
    case ElementType::uint8:
      return "uint8";
    case ElementType::uint16:
      return "uint16";
    case ElementType::uint32:
      return "uint32";
    case ElementType::uint64:
      return "uint64";
    case ElementType::boolean:
      return "bool";
  }
  return "unknown";
}

/// Whether the number is one of an element type, which one from a file or another language need not be.
[[nodiscard]] constexpr bool is_known(ElementType type) {
  switch (type) {
    case ElementType::half:
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::float64:
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::int32:
    case ElementType::int64:
    case ElementType::uint8:
    case ElementType::uint16:
    case ElementType::uint32:
    case ElementType::uint64:
    case ElementType::boolean:
      return true;
  }
  return false;
}

namespace detail {
/// The bits, in a narrower format, of a double that is exactly a value of it. By integers: a caller's
/// flush-to-zero mode must not turn a subnormal result into zero on its way out.
constexpr std::uint32_t narrow_bits_exactly(double value, int exponent_bits, int fraction_bits) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 63) << (exponent_bits + fraction_bits);
  const int field = static_cast<int>(bits >> 52) & 0x7ff;
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  if (field == 0x7ff) return fraction != 0 ? infinity | 1u << (fraction_bits - 1) : sign | infinity;
  const int narrow_field = field - 1023 + bias;
  if (narrow_field >= 1)
    return sign | static_cast<std::uint32_t>(narrow_field) << fraction_bits |
           static_cast<std::uint32_t>(fraction >> (52 - fraction_bits));
  const int shift = 52 - fraction_bits + 1 - narrow_field;  // of the significand of a subnormal
  return shift > 52 ? sign : sign | static_cast<std::uint32_t>((fraction | 0x10000000000000u) >> shift);
}
}  // namespace detail

/// A double that is exactly a value of T, as T. (A floating-point result is rounded once, to its own type,
/// and then travels in a double, which holds every value of each of them.)
template <FloatingElement T>
[[nodiscard]] constexpr T narrow_exactly(double value) {
  if constexpr (std::same_as<T, double>)
    return value;
  else if constexpr (std::same_as<T, float>)
    return std::bit_cast<float>(detail::narrow_bits_exactly(value, 8, 23));
  else if constexpr (std::same_as<T, half>)
    return half::from_bits(static_cast<std::uint16_t>(detail::narrow_bits_exactly(value, 5, 10)));
  else
    return bfloat16::from_bits(static_cast<std::uint16_t>(detail::narrow_bits_exactly(value, 8, 7)));
}

}  // namespace foldline
