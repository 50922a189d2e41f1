// Scalar versions of the integer kernels: for the ends of vectors, and for processors without SIMD. Compilers
// vectorise the loops over short elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "arithmetic/int192.hpp"

namespace foldline::cpu {

/// The type in memory of an element T: a byte for bool, which need not be 0 or 1.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// Elements of a tile, at most 2^14, at any address.
template <class T>
class PlainTile {
 public:
  PlainTile(const Stored<T>* x, std::size_t size) : x_(x), size_(size) {}

  T operator[](std::size_t i) const {
    Stored<T> value;
    std::memcpy(&value, reinterpret_cast<const char*>(x_) + i * sizeof value, sizeof value);
    return static_cast<T>(value);
  }
  std::size_t size() const { return size_; }

 private:
  const Stored<T>* x_;
  std::size_t size_;
};

/// Holds a sum of 2^14 elements.
template <class T>
using Total = std::conditional_t<sizeof(T) < 8, std::int64_t, Int128>;

template <class T>
Int128 plain_sum(const PlainTile<T>& x) {
  Total<T> sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
  return sum;
}

template <class T>
Int128 plain_abs_sum(const PlainTile<T>& x) {
  Total<T> sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Total<T> value = Total<T>{0} + x[i];
    sum += value < 0 ? -value : value;
  }
  return sum;
}

template <class T>
void add_plain_products(const PlainTile<T>& x, const PlainTile<T>& y, Int192& sum) {
  if constexpr (sizeof(T) == 8) {
    using Product = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;
    Int192 products = {};  // in registers
    for (std::size_t i = 0; i < x.size(); ++i) products += static_cast<Product>(x[i]) * y[i];
    sum += products;
  } else {
    // 2^14 products of 16 bits by 16 need 46 bits.
    using Product = std::conditional_t<sizeof(T) == 4, Int128, std::int64_t>;
    Product products = 0;
    for (std::size_t i = 0; i < x.size(); ++i) products += static_cast<Product>(x[i]) * y[i];
    sum += static_cast<Int128>(products);
  }
}

template <class T>
void add_plain_extrema(const PlainTile<T>& x, T& low, T& high) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T value = x[i];
    low = value < low ? value : low;
    high = high < value ? value : high;
  }
}

}  // namespace foldline::cpu
