// Software prefetch: one core can use more memory bandwidth than the hardware prefetcher gives it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/base.h"

namespace foldline::cpu {

constexpr std::size_t cache_line = 64;  // bytes

/// Whether this is an Intel processor, whose best prefetch distances differ.
inline bool is_intel() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

// Prefetch distances in bytes: for squares, for each of two arrays, for other floating-point numbers, for
// integers. They gain up to a fifth of a plain read (Zen 5, sums of doubles by one thread: 0.82 -> 0.97); on
// Intel sums lose a third with more than 2 KB. (docs/experiments/cpu-reductions.md)
constexpr std::int64_t squares_ahead = 6144;
constexpr std::int64_t two_ahead = 4096;
inline const std::int64_t numbers_ahead = is_intel() ? 2048 : 6144;
inline const std::int64_t integers_ahead = is_intel() ? 2048 : 8192;

/// Prefetches n elements, `ahead` bytes after these, into the cache that `locality` means to
/// __builtin_prefetch. Addresses past the array are harmless.
template <int locality = 3, class T>
HWY_INLINE void fetch_ahead(const T* from, std::size_t n, std::int64_t ahead) {
  const auto* address = reinterpret_cast<const char*>(from) + ahead;
  for (std::size_t byte = 0; byte < sizeof(T) * n; byte += cache_line)
    __builtin_prefetch(address + byte, 0, locality);
}

/// The same into the second-level cache: for data used so late that they would evict from the first what is
/// used before them.
template <class T>
HWY_INLINE void fetch_to_second_cache(const T* from, std::size_t n, std::int64_t ahead) {
  fetch_ahead<2>(from, n, ahead);
}

}  // namespace foldline::cpu
