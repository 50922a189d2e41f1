/// @file
/// From element types that are known at run time to C++ types: the one list of them all.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "foldline/types.hpp"

namespace foldline::detail {

/// Calls f with the std::type_identity of the floating-point type that `type` is.
template <class F>
constexpr decltype(auto) visit_floating(ElementType type, F&& f) {
  switch (type) {
    case ElementType::half:
      return f(std::type_identity<half>());
    case ElementType::bfloat16:
      return f(std::type_identity<bfloat16>());
    case ElementType::float32:
      return f(std::type_identity<float>());
    default:
      return f(std::type_identity<double>());
  }
}

/// Calls f with the std::type_identity of the integer type, or bool, that `type` is.
template <class F>
constexpr decltype(auto) visit_integer(ElementType type, F&& f) {
  switch (type) {
    case ElementType::int8:
      return f(std::type_identity<std::int8_t>());
    case ElementType::int16:
      return f(std::type_identity<std::int16_t>());
    case ElementType::int32:
      return f(std::type_identity<std::int32_t>());
    case ElementType::int64:
      return f(std::type_identity<std::int64_t>());
    case ElementType::uint8:
      return f(std::type_identity<std::uint8_t>());
    case ElementType::uint16:
      return f(std::type_identity<std::uint16_t>());
    case ElementType::uint32:
      return f(std::type_identity<std::uint32_t>());
    case ElementType::uint64:
      return f(std::type_identity<std::uint64_t>());
    default:
      return f(std::type_identity<bool>());
  }
}

/// Calls f with the std::type_identity of the type that `type` is.
template <class F>
constexpr decltype(auto) visit_type(ElementType type, F&& f) {
  return is_floating(type) ? visit_floating(type, f) : visit_integer(type, f);
}

}  // namespace foldline::detail
