// What the kernels of sums in doubles share: elements by 16 bytes, and storing results.
#pragma once

#include <cstring>

#include "cuda/axis/axis_task.hpp"
#include "cuda/axis/bounded_result.cuh"
#include "cuda/axis/extremum.cuh"
#include "cuda/axis/integer_extrema.cuh"
#include "cuda/axis/strided_batches.cuh"

namespace foldline::cuda {

template <class T>
__device__ __forceinline__ BitsOf<T> neutral_bits() {
  const T x = neutral<T>();
  BitsOf<T> bits;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
/// What stands for elements that are not there: where terms are differences from the first element, or are
/// compared with it, that one.
template <class Sums>
__device__ __forceinline__ BitsOf<typename Sums::Element> filling(BitsOf<typename Sums::Element> first) {
  return Sums::takes_first ? first : neutral_bits<typename Sums::Element>();
}
template <class Sums>
__device__ __forceinline__ BitsOf<typename Sums::Element> filling(const AxisTask& task,
                                                                  BitsOf<typename Sums::Element> first) {
  if constexpr (takes_integers<Sums>)
    return Sums::takes_first ? first : zero_bits<typename Sums::Element>(task.direct.flip);
  else
    return filling<Sums>(first);
}
/// What sums take beside elements: of floating-point numbers the first one, where terms are differences from
/// it.
template <class Sums>
__device__ __forceinline__ auto shift_of(const AxisTask& task, BitsOf<typename Sums::Element> first) {
  if constexpr (takes_integers<Sums>)
    return Recoding{task.direct.flip, task.type == ElementType::boolean};
  else
    return Sums::takes_first ? number_of<typename Sums::Element>(first) : 0.0;
}

/// 16 bytes of neighbouring elements.
template <class T>
struct Piece {
  using Element = T;
  static constexpr int size = 16 / sizeof(T);
  uint4 words;

  __device__ __forceinline__ void get(double* x) const {
    const unsigned word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int i = 0; i < size; ++i) {
      if constexpr (sizeof(T) == 8)
        x[i] = __hiloint2double(static_cast<int>(word[2 * i + 1]), static_cast<int>(word[2 * i]));
      else if constexpr (sizeof(T) == 4)
        x[i] = number_of<T>(word[i]);
      else
        x[i] = number_of<T>(static_cast<std::uint16_t>(i % 2 == 0 ? word[i / 2] : word[i / 2] >> 16));
    }
  }
  static __device__ __forceinline__ Piece of(BitsOf<T> element) {
    unsigned word[4];
    BitsOf<T> bits[size];
#pragma unroll
    for (BitsOf<T>& one : bits) one = element;
    std::memcpy(word, bits, 16);
    return {make_uint4(word[0], word[1], word[2], word[3])};
  }
  /// The elements [first, end) of `size` at an address that is a multiple of an element's size, and `fill`
  /// for the others.
  static __device__ Piece of_some(const std::byte* at, int first, int end, BitsOf<T> fill) {
    BitsOf<T> bits[size];
#pragma unroll
    for (int i = 0; i < size; ++i)
      bits[i] = i >= first && i < end ? reinterpret_cast<const BitsOf<T>*>(at)[i] : fill;
    Piece piece;
    std::memcpy(&piece.words, bits, 16);
    return piece;
  }
};

/// Adds pieces to sums as one batch.
template <int Count, class T, Terms Which, bool Again>
__device__ __forceinline__ void add_pieces(BoundedSums<T, Which, Again>& sums, const Piece<T> (&piece)[Count],
                                           double shift) {
  double x[Count * Piece<T>::size];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    sums.keys.observe(piece[i].words);
    piece[i].get(x + i * Piece<T>::size);
  }
  sums.add(x, shift);
}

/// Adds the elements of a column to its sums.
template <int Count, class T, Terms Which, bool Again>
__device__ __forceinline__ void add_column(BoundedSums<T, Which, Again>& sums, const BitsOf<T> (&bits)[Count],
                                           double shift) {
  constexpr int of_word = KeyRange<T>::by_twos && Count % 2 == 0 ? 2 : 1;
  double x[Count];
#pragma unroll
  for (int i = 0; i < Count; i += of_word) {
    if constexpr (of_word == 2)
      sums.keys.observe_word(static_cast<unsigned>(bits[i]) | static_cast<unsigned>(bits[i + 1]) << 16, 0);
    else
      sums.keys.observe_word(static_cast<unsigned>(bits[i]),
                             static_cast<unsigned>(static_cast<std::uint64_t>(bits[i]) >> 32));
#pragma unroll
    for (int k = i; k < i + of_word; ++k) x[k] = number_of<T>(bits[k]);
  }
  sums.add(x, shift);
}

// The same for extrema, which need no shift.
template <int Count, ExtremaSums Sums>
__device__ __forceinline__ void add_pieces(Sums& extrema, const Piece<typename Sums::Element> (&piece)[Count],
                                           double) {
#pragma unroll
  for (int i = 0; i < Count; ++i) extrema.add(piece[i].words);
}
template <int Count, ExtremaSums Sums>
__device__ __forceinline__ void add_column(Sums& extrema, const BitsOf<typename Sums::Element> (&bits)[Count],
                                           double) {
#pragma unroll
  for (int i = 0; i < Count; ++i) extrema.add_one(bits[i]);
}

// The same for integers.
template <int Count, class Sums>
  requires takes_integers<Sums>
__device__ __forceinline__ void add_pieces(Sums& sums, const Piece<typename Sums::Element> (&piece)[Count],
                                           const Recoding& recoding) {
  unsigned word[4 * Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    word[4 * i] = piece[i].words.x;
    word[4 * i + 1] = piece[i].words.y;
    word[4 * i + 2] = piece[i].words.z;
    word[4 * i + 3] = piece[i].words.w;
  }
  sums.add_words(word, recoding);
}
template <int Count, class Sums>
  requires takes_integers<Sums>
__device__ __forceinline__ void add_column(Sums& sums, const BitsOf<typename Sums::Element> (&bits)[Count],
                                           const Recoding& recoding) {
  static_assert(sizeof bits % 4 == 0);
  unsigned word[sizeof bits / 4];
  std::memcpy(word, bits, sizeof bits);
  sums.add_words(word, recoding);
}

__device__ __forceinline__ BoundedTask bounded_task(const AxisTask& task) {
  const DirectPlan& plan = task.direct;
  return {task.operation,
          task.out_type,
          {plan.count, plan.errors, plan.log2_errors},
          {plan.count, plan.inverse_count},
          {plan.squared_count, plan.inverse_squared_count},
          plan.degrees,
          plan.nan};
}

/// Stores a result if its sums are certain of it.
template <class Sums>
__device__ __forceinline__ bool store_if_certain(const AxisTask& task, const Sums& sums, std::byte* out) {
  std::uint64_t bits;
  if (!bounded_result(sums, bounded_task(task), bits)) return false;
  store_bits(out, bits, task.out_bytes);
  return true;
}

template <class Sums>
  requires takes_integers<Sums>
__device__ __forceinline__ bool store_if_certain(const AxisTask& task, const Sums& sums, std::byte* out) {
  std::uint64_t bits;
  if (!integer_result(task, bounded_task(task), task.length, sums, bits)) return false;
  store_bits(out, bits, task.out_bytes);
  return true;
}

/// Calls f.operator()<Sums>() with the sums that the operation takes of elements of type T.
template <class T, class F>
void with_direct_sums(Operation operation, const F& f) {
  const Needs needs = needs_of(operation);
  if constexpr (std::is_integral_v<T>) {
    if (needs.extrema) return f.template operator()<IntegerExtrema<T>>();
    if (needs.squares) return f.template operator()<IntegerSums<T, Terms::spread>>();
    f.template operator()<IntegerSums<T, Terms::values>>();
  } else if (operation == Operation::maximum)
    f.template operator()<Extremum<T, true>>();
  else if (operation == Operation::minimum)
    f.template operator()<Extremum<T, false>>();
  else if (operation == Operation::range)
    f.template operator()<BothExtrema<T>>();
  else if (needs.values && needs.squares)
    f.template operator()<BoundedSums<T, Terms::spread>>();
  else if (needs.squares)
    f.template operator()<BoundedSums<T, Terms::squares>>();
  else if (needs.magnitudes)
    f.template operator()<BoundedSums<T, Terms::magnitudes>>();
  else
    f.template operator()<BoundedSums<T, Terms::values>>();
}

/// Sums for a second attempt at results that the first ones are not certain of.
template <class Sums>
using Again = BoundedSums<typename Sums::Element, Terms::spread, true>;

/// Puts results on the list of those to be done again; that it is too short is known once.
__device__ __forceinline__ void retry(const AxisTask& task, std::int64_t first) {
  RetryList& list = *task.direct.retries;
  if (*static_cast<const volatile unsigned*>(&list.count) > RetryList::capacity) return;
  const unsigned at = atomicAdd(&list.count, 1u);
  if (at < RetryList::capacity) list.first[at] = first;
}

}  // namespace foldline::cuda
