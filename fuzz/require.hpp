// What a fuzzer does when a property does not hold.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace foldline::fuzz {

/// Stops the fuzzer, which then keeps the input.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

}  // namespace foldline::fuzz
