// Software prefetch: the hardware reads ahead too, but not as far as one core could use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/base.h"

namespace foldline::cpu {

constexpr std::size_t line = 64;  // of a cache

/// Whether the processor that runs this is one of Intel's, where its prefetchers want other distances.
inline bool is_intel() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

// Bytes from what is added up to what is fetched in the meantime: of squares, of each of two arrays, of other
// floating-point numbers, of integers. (Zen 5, 2^27 elements, of a plain read; one thread: sums of doubles
// 0.82 -> 0.97, norms 0.78 -> 0.96, dot products 0.94 -> 0.98; two threads: 0.98 -> 1.03, 0.97 -> 1.03, 1.04
// -> 1.01; from the caches no difference. Sums of integers from L3 86 -> 108 GB/s, from L1 157 -> 152 to
// 130.) Sums must not fetch so far ahead on a Xeon with 480 MiB of L3 cache: with one thread and 6 KB doubles
// are added at 0.67 of a plain read, with 4 KB 0.70, with 2 KB 1.06, with nothing fetched 0.99; floats 0.68,
// 0.73, 1.06, 0.98; integers of 32 bits with 8 KB 0.88, with 2 KB 1.06, with nothing 0.81. (From L3 doubles
// lose a tenth.) Squares and products do not mind.
constexpr std::int64_t squares_ahead = 6144;
constexpr std::int64_t two_ahead = 4096;
inline const std::int64_t numbers_ahead = is_intel() ? 2048 : 6144;
inline const std::int64_t integers_ahead = is_intel() ? 2048 : 8192;

/// Fetches n elements, `ahead` bytes behind these, to the first cache that `locality` names, as
/// __builtin_prefetch counts them. An address may be one of nothing: then it does nothing.
template <int locality = 3, class T>
HWY_INLINE void fetch_ahead(const T* from, std::size_t n, std::int64_t ahead) {
  const auto* address = reinterpret_cast<const char*>(from) + ahead;
  for (std::size_t byte = 0; byte < sizeof(T) * n; byte += line)
    __builtin_prefetch(address + byte, 0, locality);
}

/// The same to the second cache: for what is used so late that it would drive out of the first what is used
/// before it.
template <class T>
HWY_INLINE void fetch_to_second_cache(const T* from, std::size_t n, std::int64_t ahead) {
  fetch_ahead<2>(from, n, ahead);
}

}  // namespace foldline::cpu
