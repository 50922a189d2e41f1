// The elements of a vector that are any distance apart, and their plain sums if they are few.
#pragma once

#include "cuda/axis/direct_sums.cuh"
#include "cuda/axis/plain_sums.cuh"

namespace foldline::cuda {

/// Whether sums of a few elements may be plain doubles.
template <class Sums>
inline constexpr bool has_plain_sums = false;
template <class T, Terms Which>
  requires(sizeof(T) == 2)
inline constexpr bool has_plain_sums<BoundedSums<T, Which>> = true;

/// An element at a multiple of its size.
template <class T>
__device__ __forceinline__ BitsOf<T> bits_of_element(const std::byte* at) {
  return *reinterpret_cast<const BitsOf<T>*>(at);
}

/// Some of a vector's elements, `stride` bytes apart, from the one `begin` to the last and then from the
/// first.
template <class Stride>
struct VectorElements {
  const std::byte* x;
  Stride stride;
  int count, begin;

  /// Calls f(bits) for batches of `Size` elements, the last of which is filled up.
  template <class T, int Size, class F>
  __device__ __forceinline__ void for_each_batch(BitsOf<T> fill, const F& f) const {
    const std::byte* at = x + begin * stride;
    int until_end = count - begin;
    for (int left = count; left > 0; left -= Size) {
      BitsOf<T> bits[Size];
#pragma unroll
      for (int i = 0; i < Size; ++i) {
        bits[i] = i < left ? bits_of_element<T>(at) : fill;
        at += stride;
        if (--until_end == 0) at = x;
      }
      f(bits);
    }
  }
};

/// The result of up to `Count` elements of 16 bits, if plain sums tell it.
template <int Count, class T, Terms Which, class Stride>
__device__ __forceinline__ bool plain_result_of(const BoundedSums<T, Which>&, const BoundedTask& task,
                                                const VectorElements<Stride>& vector, BitsOf<T> first,
                                                std::uint64_t& result) {
  bool is_certain = false;
  vector.template for_each_batch<T, Count>(filling<BoundedSums<T, Which>>(first), [&](const auto& bits) {
    bool is_exact = std::is_same_v<T, Half>;  // multiples of 2^-24 below 2^16
    if constexpr (!std::is_same_v<T, Half> && (Which == Terms::values || Which == Terms::magnitudes)) {
      KeyRange<T> keys;
#pragma unroll
      for (int i = 0; i < Count; i += 2)
        keys.observe_word(static_cast<unsigned>(bits[i]) | static_cast<unsigned>(bits[i + 1]) << 16, 0);
      is_exact = keys.all_zero() || keys.top() - keys.unit() + log_plain_terms <= 53;
    }
    PlainSums<T, Which> sums;
#pragma unroll
    for (int i = 0; i < Count; ++i) sums.add(number_of<T>(bits[i]), number_of<T>(first));
    is_certain = sums.result(task, is_exact, result);
  });
  return is_certain;
}
/// The same of up to most_plain_terms.
template <class Sums, class Stride>
__device__ __forceinline__ bool plain_result(const BoundedTask& task, const VectorElements<Stride>& vector,
                                             BitsOf<typename Sums::Element> first, std::uint64_t& result) {
  constexpr int some = most_plain_terms / 2, few = some / 4;
  return vector.count <= few    ? plain_result_of<few>(Sums{}, task, vector, first, result)
         : vector.count <= some ? plain_result_of<some>(Sums{}, task, vector, first, result)
                                : plain_result_of<most_plain_terms>(Sums{}, task, vector, first, result);
}

}  // namespace foldline::cuda
