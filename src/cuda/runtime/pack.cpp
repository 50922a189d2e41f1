#include "cuda/runtime/pack.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace foldline::cuda {

namespace {

/// Calls copy(first, count) for parts of a vector on several threads: a single thread reaches a fifth of the
/// bandwidth of PCIe 5.
template <class Copy>
void in_parts(std::int64_t size, const Copy& copy) {
  constexpr std::int64_t part = std::int64_t{1} << 16;  // elements
  const std::int64_t parts = (size - 1) / part + 1;
  const int threads = static_cast<int>(std::min<std::int64_t>({parts, omp_get_max_threads(), 8}));
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t p = 0; p < parts; ++p) copy(p * part, std::min(part, size - p * part));
}

}  // namespace

void pack(const VectorView& x, std::byte* target) {
  const std::int64_t width = size_of(x.type());
  in_parts(x.size(), [&](std::int64_t first, std::int64_t count) {
    if (x.stride() == 1)
      std::memcpy(target + first * width, x.at(first), static_cast<std::size_t>(count * width));
    else
      for (std::int64_t i = first; i < first + count; ++i)
        std::memcpy(target + i * width, x.at(i), static_cast<std::size_t>(width));
  });
}

void unpack(const std::byte* source, const MutableVectorView& out) {
  const std::int64_t width = size_of(out.type());
  in_parts(out.size(), [&](std::int64_t first, std::int64_t count) {
    if (out.stride() == 1)
      std::memcpy(out.at(first), source + first * width, static_cast<std::size_t>(count * width));
    else
      for (std::int64_t i = first; i < first + count; ++i)
        std::memcpy(out.at(i), source + i * width, static_cast<std::size_t>(width));
  });
}

}  // namespace foldline::cuda
