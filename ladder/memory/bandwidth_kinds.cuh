// The kinds of memory that bandwidths.cu reads.
#pragma once

#include "runner/texture.cuh"

namespace foldline::ladder::memory {

constexpr int block = 1024, unrolled = 8;
constexpr unsigned words = 1u << 28;        // 1 GiB: far more than the L2 cache
constexpr unsigned small_words = 1u << 12;  // 16 KiB, and what is read beyond: fits in any cache
constexpr unsigned constant_words = 256, local_words = 32;

static __constant__ unsigned constants[constant_words + unrolled];

__device__ inline unsigned sum_of(uint4 v) { return (v.x + v.y) + (v.z + v.w); }

// Kinds of memory. A thread reads words first + j * apart, j < unrolled, and then those from (first +
// advance) % size on. 16 bytes read at once count as one word, whose parts are added.

struct Shared {
  static constexpr int apart = 32, bytes = 4;
  const volatile unsigned* word;
  unsigned first, advance = unrolled * apart, size = small_words;
  __device__ unsigned load(unsigned i) const { return word[i]; }
};
struct Constant {  // the same word in all lanes
  static constexpr int apart = 1, bytes = 4;
  unsigned first, advance = unrolled, size = constant_words;
  __device__ unsigned load(unsigned i) const { return constants[i]; }
};
struct Texture {
  static constexpr int apart = 32, bytes = 4;
  cudaTextureObject_t texture;
  unsigned first, advance = unrolled * apart, size = small_words;
  __device__ unsigned load(unsigned i) const {
    return static_cast<unsigned>(fetch<int, false>(texture, static_cast<int>(i)));
  }
};
struct Local {  // from an index unknown to the compiler, which would use registers otherwise
  static constexpr int apart = 1, bytes = 4;
  const volatile unsigned* word;
  unsigned first, advance = 1, size = local_words;
  __device__ unsigned load(unsigned i) const { return word[i]; }
};
struct InL1 {
  static constexpr int apart = 32, bytes = 4;
  const unsigned* word;
  unsigned first, advance = unrolled * apart, size = small_words;
  __device__ unsigned load(unsigned i) const { return __ldca(word + i); }
};
struct PastL1 {  // 16 bytes at a time, each by another thread of the grid
  static constexpr int bytes = 16;
  const uint4* word;
  unsigned first, apart, advance, size;
  __device__ unsigned load(unsigned i) const { return sum_of(__ldcg(word + (i & (size - 1)))); }
};

/// The expected result of load().
template <class Kind>
__device__ unsigned expected(const Kind& kind, unsigned i) {
  return Kind::bytes == 16 ? 16 * (i & (kind.size - 1)) + 6 : i;
}

}  // namespace foldline::ladder::memory
