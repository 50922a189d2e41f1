// Software prefetch: the hardware reads ahead too, but not as far as one core could use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/base.h"

namespace foldline::cpu {

constexpr std::size_t line = 64;  // of a cache

// Bytes from what is added up to what is fetched in the meantime: of one array of floating-point numbers, of
// each of two, of integers. (Zen 5, 2^27 elements, of a plain read; one thread: sums of doubles 0.82 -> 0.97,
// norms 0.78 -> 0.96, dot products 0.94 -> 0.98; two threads: 0.98 -> 1.03, 0.97 -> 1.03, 1.04 -> 1.01; from
// the caches no difference. Sums of integers from L3 86 -> 108 GB/s, from L1 157 -> 152 to 130.)
constexpr std::int64_t one_ahead = 6144;
constexpr std::int64_t two_ahead = 4096;
constexpr std::int64_t integers_ahead = 8192;

/// Fetches n elements, `ahead` bytes behind these, to the caches. An address may be one of nothing: then it
/// does nothing.
template <class T>
HWY_INLINE void fetch_ahead(const T* from, std::size_t n, std::int64_t ahead) {
  const auto* address = reinterpret_cast<const char*>(from) + ahead;
  for (std::size_t byte = 0; byte < sizeof(T) * n; byte += line) __builtin_prefetch(address + byte, 0, 3);
}

}  // namespace foldline::cpu
