// The elements of a vector that are any distance apart, and their plain sums if they are few.
#pragma once

#include "cuda/axis/direct_sums.cuh"
#include "cuda/axis/plain_sums.cuh"

namespace foldline::cuda {

/// Whether sums of a few elements may be plain doubles.
template <class Sums>
inline constexpr bool has_plain_sums = false;
template <class T, Terms Which>
  requires(sizeof(T) <= 4)
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

/// The sums of a vector, of which one element is the first.
template <class Sums, class Stride>
__device__ __forceinline__ Sums sums_of_elements(const AxisTask& task, const VectorElements<Stride>& vector,
                                                 BitsOf<typename Sums::Element> first) {
  using T = typename Sums::Element;
  Sums sums;
  vector.template for_each_batch<T, sizeof(T) == 8 ? 4 : 8>(
      filling<Sums>(task, first),
      [&](const auto& bits) { add_column(sums, bits, shift_of<Sums>(task, first)); });
  return sums;
}

/// The result of up to most_plain_terms elements if plain sums tell it, see PlainSums.
template <class Out, bool IsSecond, class T, Terms Which, class Stride>
__device__ __forceinline__ bool plain_result_of(const BoundedSums<T, Which>&, const BoundedTask& task,
                                                const VectorElements<Stride>& vector, BitsOf<T> first,
                                                unsigned& result) {
  using Sums = PlainSums<T, Which>;
  constexpr int of_batch = 8, of_word = KeyRange<T>::by_twos ? 2 : 1;
  const BitsOf<T> fill = filling<BoundedSums<T, Which>>(first);
  KeyRange<T> keys;
  const auto observe = [&](const BitsOf<T>(&bits)[of_batch]) {
#pragma unroll
    for (int i = 0; i < of_batch; i += of_word)
      keys.observe_word(
          of_word == 2 ? static_cast<unsigned>(bits[i]) | static_cast<unsigned>(bits[i + 1]) << 16 : bits[i],
          0);
  };
  Sums sums;
  const double shift = number_of<T>(first);
  vector.template for_each_batch<T, of_batch>(fill, [&](const BitsOf<T>(&bits)[of_batch]) {
    if constexpr (Sums::must_be_exact) observe(bits);
#pragma unroll
    for (const BitsOf<T> x : bits) sums.add(number_of<T>(x), shift);
  });
  const Told told = sums.template result<Out, IsSecond>(task, result);
  if (!told.if_exact) return Sums::template special_result<Out>(task, result);
  if (told.is_certain) return true;
  if constexpr (!Sums::must_be_exact && Sums::has_squares)
    vector.template for_each_batch<T, of_batch>(fill, observe);
  if constexpr (Sums::is_always_exact) return true;
  const Exactness exactness = exactness_of<Which>(keys, log_plain_terms);
  return exactness.is_exact ||
         (Sums::must_be_exact && sums.template is_clear<Out, IsSecond>(task, exactness.top));
}
template <class Sums, class Stride>
__device__ __forceinline__ bool plain_result(const BoundedTask& task, const VectorElements<Stride>& vector,
                                             BitsOf<typename Sums::Element> first, unsigned& result) {
  bool is_certain = false;
  with_plain_result<typename Sums::Element, Sums::terms>(task, [&]<class Out, bool IsSecond>() {
    is_certain = plain_result_of<Out, IsSecond>(Sums{}, task, vector, first, result);
  });
  return is_certain;
}

}  // namespace foldline::cuda
