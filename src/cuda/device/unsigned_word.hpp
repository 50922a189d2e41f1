// The unsigned integer that has the bits of an element, by the element's size.
#pragma once

#include <cstdint>

#include "arithmetic/host_device.hpp"

namespace foldline::cuda {

/// Calls f(Word()) with an unsigned integer of 1, 2, 4 or 8 bytes, and returns what it does.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // f is for where the caller runs
#endif
template <class F>
FOLDLINE_HOST_DEVICE auto with_unsigned_word(std::int64_t bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace foldline::cuda
