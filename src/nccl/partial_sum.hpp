// The sum of a rank's own arrays, element by element, as it is sent to the rank that rounds: one or two
// numbers of a wider type that have it exactly, or NaN if they cannot. Of ordinary terms they can: a double
// holds sums of floats whose exponents are some 25 binades apart, a float those of 16-bit numbers a dozen
// apart, and two doubles those of doubles. Each addition tells by TwoSum whether it rounds.
#pragma once

#include "nccl/element_sum.hpp"

namespace foldline::nccl {

/// The words of a sum, which are added up like the elements of other ranks.
template <FloatingElement T>
struct Partial {
  using Word = float;
  static constexpr int words = 1;
  Word word[words];
};
template <>
struct Partial<float> {
  using Word = double;
  static constexpr int words = 1;
  Word word[words];
};
template <>
struct Partial<double> {
  using Word = double;
  static constexpr int words = 2;
  Word word[words];
};

/// `count` terms, 2 to Most; `term(i)` is the i-th.
template <FloatingElement T, int Most, class Term>
FOLDLINE_HOST_DEVICE inline Partial<T> partial_sum(int count, const Term& term) {
  using Word = typename Partial<T>::Word;
  const auto sum_of = [](Word a, Word b) {
    if constexpr (std::is_same_v<Word, double>)
      return two_sum(a, b);
    else
      return two_sum_of_floats(a, b);
  };
  Word sum = static_cast<Word>(widened(term(0)));
  bool is_exact = true;  // an infinity makes an error NaN
  Word rest = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 1; i < Most; ++i) {
    if (i >= count) break;
    const auto next = sum_of(sum, static_cast<Word>(widened(term(i))));
    sum = next.sum;
    if constexpr (Partial<T>::words == 1) {
      is_exact = is_exact && next.error == 0;
    } else {
      const auto errors = sum_of(rest, next.error);
      rest = errors.sum;
      is_exact = is_exact && errors.error == 0;
    }
  }
  Partial<T> result;
  result.word[0] = is_exact ? sum : static_cast<Word>(from_bits(canonical_nan));
  // +0 would make a sum of -0 positive.
  if constexpr (Partial<T>::words == 2) result.word[1] = rest == 0 || !is_exact ? -0.0 : rest;
  return result;
}

}  // namespace foldline::nccl
