// Sums of the elements of several arrays in a range, 16 bytes of each array at a time.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "nccl/element_sum.hpp"

namespace foldline::nccl {

template <class T>
struct alignas(16) Vector {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T x[size];
};

/// Memory of another GPU is read once: no cache keeps it. Volatile, so that it stays behind the wait for the
/// data.
template <class T>
__device__ __forceinline__ Vector<T> load_vector(const T* address) {
  uint4 words;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(address));
  return reinterpret_cast<const Vector<T>&>(words);
}
template <class T>
__device__ __forceinline__ void store_vector(T* address, const Vector<T>& value) {
  __stcs(reinterpret_cast<uint4*>(address), reinterpret_cast<const uint4&>(value));
}

/// An element's sum in any of the ways, from memory.
template <class T, class Arrays>
__device__ __noinline__ T sum_again(const Arrays& array, int terms, std::int64_t i) {
  return sum_of_terms<T>(terms, [&](int p) { return array(p)[i]; });
}

/// Numbers of 16 bits by twos. Their sums in float are exact if log2 terms + t - u <= 24; see
/// element_sum.hpp.
template <class T>
struct Pairs {
  static constexpr bool is_half = std::is_same_v<T, half>;
  static constexpr int fraction = is_half ? 10 : 7, precision = fraction + 1;
  static constexpr int infinite_key = is_half ? 0x7c00 : 0x7f80;
  /// The keys of finite numbers of which so many do not overflow a float.
  static __device__ __forceinline__ int end_of_keys(int log2_terms) {
    return is_half ? infinite_key : (0xff - log2_terms) << fraction;
  }
  static __device__ __forceinline__ float2 widened(unsigned word) {
    if constexpr (is_half)
      return __half22float2(reinterpret_cast<const __half2&>(word));
    else
      return {float_of(word << 16), float_of(word & 0xffff0000u)};
  }
  static __device__ __forceinline__ unsigned narrowed(float2 sums) {
    if constexpr (is_half) {
      const __half2 pair = __float22half2_rn(sums);
      return reinterpret_cast<const unsigned&>(pair);
    } else {
      const __nv_bfloat162 pair = __float22bfloat162_rn(sums);
      return reinterpret_cast<const unsigned&>(pair);
    }
  }
};

__device__ __forceinline__ unsigned larger_half(unsigned word) { return max(word & 0xffffu, word >> 16); }

/// The sums of a vector's elements of `Terms` arrays; those from `terms` on are -0. Returns false if it is
/// not certain of all.
template <class T, int Terms>
__device__ __forceinline__ bool sum_vectors(const Vector<T> (&x)[Terms], int terms, int log2_terms,
                                            Vector<T>& result) {
  constexpr int size = Vector<T>::size;
  if constexpr (std::is_same_v<T, double>) {
    bool certain = true;
#pragma unroll
    for (int j = 0; j < size; ++j) {
      ElementSum<T> sum;
#pragma unroll
      for (int p = 0; p < Terms; ++p) sum.add(p < terms ? x[p].x[j] : -0.0);
      certain = sum.rounds(log2_terms, result.x[j]) && certain;
    }
    return certain;
  } else if constexpr (std::is_same_v<T, float>) {
    // Differences of the keys of the largest and the smallest term, plus 1, and the largest key: those of all
    // elements.
    unsigned spread = 0, top = 0;
#pragma unroll
    for (int j = 0; j < size; ++j) {
      unsigned highest = 0, lowest = ~0u;
      double sum = -0.0;
#pragma unroll
      for (int p = 0; p < Terms; ++p) {
        const float term = p < terms ? x[p].x[j] : -0.0f;
        const unsigned key = magnitude_key(term);
        highest = max(highest, key);
        lowest = min(lowest, key - 1);
        sum = __dadd_rn(sum, term);
      }
      spread = max(spread, max(highest, lowest) - lowest);
      top = max(top, highest);
      result.x[j] = static_cast<float>(sum);
    }
    return top < 0x7f800000u && spread <= (static_cast<unsigned>(29 - log2_terms) << 23) + 1;
  } else {
    using P = Pairs<T>;
    unsigned spread = 0, top = 0;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      unsigned highest = 0, lowest = ~0u;
      float2 sums{-0.0f, -0.0f};
#pragma unroll
      for (int p = 0; p < Terms; ++p) {
        const unsigned word = p < terms ? reinterpret_cast<const unsigned(&)[4]>(x[p])[w] : 0x80008000u;
        const unsigned keys = word & 0x7fff7fffu;
        highest = __vmaxu2(highest, keys);
#if __CUDA_ARCH__ >= 900
        lowest = __viaddmin_u16x2(keys, ~0u, lowest);
#else
        lowest = __vminu2(lowest, __vsub2(keys, 0x00010001u));
#endif
        const float2 term = P::widened(word);
        sums.x = __fadd_rn(sums.x, term.x);
        sums.y = __fadd_rn(sums.y, term.y);
      }
      spread = __vmaxu2(spread, __vmaxu2(highest, lowest) - lowest);  // neither half borrows
      top = __vmaxu2(top, highest);
      reinterpret_cast<unsigned(&)[4]>(result)[w] = P::narrowed(sums);
    }
    const auto widest = static_cast<int>(larger_half(spread)), largest = static_cast<int>(larger_half(top));
    if (largest < P::end_of_keys(log2_terms) &&
        widest <= ((24 - P::precision - log2_terms) << P::fraction) + 1)
      return true;
    if (largest >= P::infinite_key || widest > ((53 - P::precision - log2_terms) << P::fraction) + 1)
      return false;
#pragma unroll
    for (int j = 0; j < size; ++j) {
      double sum = -0.0;
#pragma unroll
      for (int p = 0; p < Terms; ++p)
        if (p < terms) sum = __dadd_rn(sum, widened(x[p].x[j]));
      result.x[j] = narrowed<T>(sum);
    }
    return true;
  }
}

/// The sums of vectors i, i + step, ... below `last` of `terms` arrays; `array(p)` is the p-th. `store(i,
/// sums)` takes them. `Terms` is a limit for the number of arrays that are in registers at a time, or 0 for
/// any number of arrays.
template <class T, int Terms, class Arrays, class Store>
__device__ __forceinline__ void reduce_vectors(const Arrays& array, int terms, std::int64_t i,
                                               std::int64_t last, std::int64_t step, const Store& store) {
  constexpr int size = Vector<T>::size;
  const int log2_terms = ceil_log2(terms);
  if constexpr (Terms == 0) {
    for (; i < last; i += step) {
      ElementSum<T> sums[size];
#pragma unroll 4
      for (int p = 0; p < terms; ++p) {
        const Vector<T> vector = load_vector(array(p) + i * size);
#pragma unroll
        for (int j = 0; j < size; ++j) sums[j].add(vector.x[j]);
      }
      Vector<T> result;
#pragma unroll
      for (int j = 0; j < size; ++j)
        if (!sums[j].rounds(log2_terms, result.x[j])) result.x[j] = sum_again<T>(array, terms, i * size + j);
      store(i, result);
    }
  } else {
    // So that a thread has eight loads or more under way.
    constexpr int ahead = Terms <= 2 ? 4 : Terms <= 4 ? 2 : 1;
    for (; i < last; i += ahead * step) {
      Vector<T> vectors[ahead][Terms];
#pragma unroll
      for (int a = 0; a < ahead; ++a)
#pragma unroll
        for (int p = 0; p < Terms; ++p)
          if (i + a * step < last && p < terms) vectors[a][p] = load_vector(array(p) + (i + a * step) * size);
#pragma unroll
      for (int a = 0; a < ahead; ++a) {
        const std::int64_t vector = i + a * step;
        if (vector >= last) break;
        Vector<T> result;
        if (!sum_vectors<T, Terms>(vectors[a], terms, log2_terms, result)) {
#pragma unroll 1
          for (int j = 0; j < size; ++j) {
            const T sum = sum_again<T>(array, terms, vector * size + j);
#pragma unroll
            for (int k = 0; k < size; ++k)
              if (k == j) result.x[k] = sum;  // so that the vector stays in registers
          }
        }
        store(vector, result);
      }
    }
  }
}

/// The same element by element, for arrays that do not begin at multiples of 16 bytes.
template <class T, class Arrays, class Store>
__device__ __forceinline__ void reduce_elements(const Arrays& array, int terms, std::int64_t i,
                                                std::int64_t last, std::int64_t step, const Store& store) {
  const int log2_terms = ceil_log2(terms);
  for (; i < last; i += step) {
    ElementSum<T> sum;
#pragma unroll 4
    for (int p = 0; p < terms; ++p) sum.add(array(p)[i]);
    T result;
    if (!sum.rounds(log2_terms, result)) result = sum_again<T>(array, terms, i);
    store(i, result);
  }
}

}  // namespace foldline::nccl
