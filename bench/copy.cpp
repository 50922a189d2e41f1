#include "copy.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace foldline::bench {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t worth_threads = std::size_t{1} << 17;

void copy_part(const std::byte* from, std::byte* to, std::size_t bytes) { std::memcpy(to, from, bytes); }

/// `to` is aligned to a cache line, as all arrays of the benchmark are.
void stream_part(const std::byte* from, std::byte* to, std::size_t bytes) {
#ifdef __SSE2__
  const std::size_t whole = bytes / sizeof(__m128i) * sizeof(__m128i);
  for (std::size_t at = 0; at < whole; at += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  _mm_sfence();
  copy_part(from + whole, to + whole, bytes - whole);
#else
  copy_part(from, to, bytes);
#endif
}

template <class Part>
void over_threads(const void* from, void* to, std::size_t bytes, int threads, Part part) {
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  if (threads == 1 || bytes < worth_threads) return part(source, target, bytes);
#pragma omp parallel num_threads(threads)
  {
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t chunk = (bytes / team / line + 1) * line;
    const std::size_t first = std::min(bytes, rank * chunk);
    part(source + first, target + first, std::min(chunk, bytes - first));
  }
}

}  // namespace

void copy(const void* from, void* to, std::size_t bytes, int threads) {
  over_threads(from, to, bytes, threads, copy_part);
}

void stream(const void* from, void* to, std::size_t bytes, int threads) {
  over_threads(from, to, bytes, threads, stream_part);
}

}  // namespace foldline::bench
