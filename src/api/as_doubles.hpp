// Converts elements of any type to one or two doubles, exactly.
#pragma once

#include <cstdint>

#include "foldline/detail/element_at.hpp"
#include "foldline/detail/visit_type.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// An element as a sum of doubles: a 64-bit integer may need two, all others one.
struct TwoDoubles {
  double high;  ///< has the element's sign, and is 0 only if the element is
  double low;   ///< 0 unless an integer is beyond 2^53
};

template <Element T>
TwoDoubles as_doubles(T value) {
  if constexpr (std::same_as<T, half> || std::same_as<T, bfloat16>) {
    return {static_cast<double>(static_cast<float>(value)), 0};
  } else if constexpr (FloatingElement<T> || sizeof(T) < 8) {
    return {static_cast<double>(value), 0};
  } else {
    constexpr T largest = T{1} << 53;
    bool fits = value <= largest;
    if constexpr (is_signed(element_type_of<T>)) fits = fits && value >= -largest;
    if (fits) return {static_cast<double>(value), 0};
    const T low = value & 0x7ff;  // the rest has less than 2^53 units of 2^11
    return {static_cast<double>(value - low), static_cast<double>(low)};
  }
}

/// x[i] = high[i] + low[i]. Returns whether any of low is not 0.
inline bool split(const VectorView& x, double* high, double* low) {
  return detail::visit_type(x.type(), [&]<class T>(std::type_identity<T>) {
    bool any = false;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const TwoDoubles parts = as_doubles(detail::element_at<T>(x.at(i)));
      high[i] = parts.high;
      low[i] = parts.low;
      any = any || parts.low != 0;
    }
    return any;
  });
}

}  // namespace foldline
