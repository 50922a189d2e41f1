/// @file
/// Reads one element of an array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>

#include "foldline/types.hpp"

namespace foldline::detail {

/// The element at an address that need not be aligned; any byte but 0 is a true bool.
template <Element T>
T element_at(const std::byte* at) {
  if constexpr (std::same_as<T, bool>) {
    return *at != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
}

}  // namespace foldline::detail
