// Magnitudes and lengths of integers of 128 bits.
#pragma once

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

/// |x|, also that of the least number.
FOLDLINE_HOST_DEVICE inline Uint128 magnitude(Int128 x) {
  return x < 0 ? ~static_cast<Uint128>(x) + 1 : static_cast<Uint128>(x);
}

/// Bits of x; 0 for 0.
FOLDLINE_HOST_DEVICE inline int bit_length(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  if (high != 0) return 128 - leading_zeros(high);
  return low == 0 ? 0 : 64 - leading_zeros(low);
}
/// Bits of |x|.
FOLDLINE_HOST_DEVICE inline int bit_length(Int128 x) { return bit_length(magnitude(x)); }

}  // namespace foldline
