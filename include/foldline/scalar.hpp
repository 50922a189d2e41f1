/// @file
/// One number whose type is known at run time only: a result of a type that was chosen at run time.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>

#include "foldline/detail/visit_type.hpp"
#include "foldline/error.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// A number that is exactly one of its element type's.
class Scalar {
 public:
  /// The double 0.
  constexpr Scalar() = default;

  /// A value of its own type.
  template <Element T>
  constexpr explicit Scalar(T value) : type_(element_type_of<T>) {
    if constexpr (FloatingElement<T>)
      bits_ = std::bit_cast<std::uint64_t>(widened(value));
    else
      bits_ = static_cast<std::uint64_t>(value);  // NOLINT(bugprone-signed-char-misuse): -1 is to stay -1
  }

  /// A value of the floating-point type `type`, in the double that equals it.
  [[nodiscard]] static constexpr Scalar from_floating(double value, ElementType type) {
    return {std::bit_cast<std::uint64_t>(value), type};
  }
  /// A value of the integer type `type` as 64 bits: sign-extended if the type is signed.
  [[nodiscard]] static constexpr Scalar from_integer(std::uint64_t value, ElementType type) {
    return {value, type};
  }

  /// The type of the value.
  [[nodiscard]] constexpr ElementType type() const { return type_; }

  /// The value, if T is its type. Throws InvalidArgument if not: converting would round or overflow.
  template <Element T>
  [[nodiscard]] constexpr T as() const {
    if (element_type_of<T> != type_)
      throw InvalidArgument("scalar: it is " + std::string(name_of(type_)) + " and was asked for as " +
                            std::string(name_of(element_type_of<T>)) + "; ask for its own type");
    return value<T>();
  }

  /// @{ The value in the widest type of its kind: one of the three, by is_floating(type()) and
  /// is_signed(type()).
  [[nodiscard]] constexpr double floating() const { return std::bit_cast<double>(bits_); }
  [[nodiscard]] constexpr std::int64_t signed_integer() const { return static_cast<std::int64_t>(bits_); }
  [[nodiscard]] constexpr std::uint64_t unsigned_integer() const { return bits_; }
  /// @}

  /// The nearest double: the value itself, but for integers beyond 2^53.
  [[nodiscard]] constexpr double to_double() const {
    if (is_floating(type_)) return floating();
    return is_signed(type_) ? static_cast<double>(signed_integer()) : static_cast<double>(bits_);
  }

  /// Calls f with the value as its own C++ type.
  template <class F>
  constexpr auto visit(F f) const {
    return detail::visit_type(type_, [&]<class T>(std::type_identity<T>) { return f(value<T>()); });
  }

  /// Same type and same bits: a NaN equals itself, and -0 is not +0.
  friend constexpr bool operator==(const Scalar&, const Scalar&) = default;

 private:
  constexpr Scalar(std::uint64_t bits, ElementType type) : bits_(bits), type_(type) {}

  template <Element T>  // which must be its type
  [[nodiscard]] constexpr T value() const {
    if constexpr (FloatingElement<T>)
      return narrow_exactly<T>(std::bit_cast<double>(bits_));
    else
      return static_cast<T>(bits_);
  }

  template <FloatingElement T>
  [[nodiscard]] static constexpr double widened(T value) {
    if constexpr (std::same_as<T, double>)
      return value;
    else
      return static_cast<double>(static_cast<float>(value));
  }

  std::uint64_t bits_ = 0;  // of the double, or of the integer extended to 64 bits
  ElementType type_ = ElementType::float64;
};

}  // namespace foldline
