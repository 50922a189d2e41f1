// Sums of a few floating-point numbers of up to 32 bits in single doubles, and their results where these are
// certain. docs/design/axis.md has the proof.
#pragma once

#include "cuda/axis/bounded_result.cuh"
#include "cuda/axis/direct_task.hpp"
#include "cuda/axis/extremum.cuh"
#include "cuda/device/root_estimate.cuh"

namespace foldline::cuda {

/// Whether plain sums are certain of a result, or would be if they were exact.
struct Told {
  bool is_certain, if_exact;
};

/// Where the bits of a type stand in a double, whose last `dropped` bits it lacks.
template <class T>
struct PlaceInDouble {
  static constexpr int exponent_bits = std::is_same_v<T, Half> ? 5 : 8,
                       fraction_bits = KeyFormat<T>::fraction, dropped = 52 - fraction_bits;
  static constexpr unsigned less = (1023u - KeyFormat<T>::bias) << fraction_bits,
                            infinite = unsigned{KeyFormat<T>::infinite} << fraction_bits;
  /// The upper half of the smallest normal number.
  static constexpr unsigned least = (1024u - KeyFormat<T>::bias) << 20;
};

/// The bits of a positive number without those that T lacks, and the number halfway to the next of T.
template <class T>
__device__ __forceinline__ double middle_of(double x, unsigned& bits) {
  constexpr int dropped = PlaceInDouble<T>::dropped;
  constexpr unsigned half = 1u << (dropped - 1) % 32;
  const unsigned high = high_bits(x), low = low_bits(x);
  if constexpr (dropped >= 32) {
    bits = high >> (dropped - 32);
    return __hiloint2double(static_cast<int>((high & ~(2 * half - 1)) | half), 0);
  } else {
    bits = __funnelshift_l(low, high, 32 - dropped);
    return __hiloint2double(static_cast<int>(high), static_cast<int>((low & ~(2 * half - 1)) | half));
  }
}
/// Whether a number is positive, finite and not below the normal ones of T.
template <class T>
__device__ __forceinline__ bool is_normal_in(double x) {
  constexpr unsigned least = PlaceInDouble<T>::least;
  return high_bits(x) - least < 0x7ff00000u - least;
}

/// Rounds y / d, or its root, to T. y is within a quarter of `bound` of what it stands for. Nothing is told
/// below the normal numbers of T.
template <class T, bool IsRoot>
__device__ __forceinline__ Told round_quotient(double y, double bound, const Divisor& d, unsigned& bits) {
  using Place = PlaceInDouble<T>;
  double estimate = __dmul_rn(y, d.inverse);
  if constexpr (IsRoot) {
    const double inverse = inverse_root_estimate(estimate), root = __dmul_rn(estimate, inverse);
    estimate =
        sizeof(T) == 2 ? root : __fma_rn(__fma_rn(-root, root, estimate), __dmul_rn(0.5, inverse), root);
  }
  const double middle = middle_of<T>(estimate, bits);
  const double beyond = __fma_rn(-(IsRoot ? __dmul_rn(middle, middle) : middle), d.value, y);
  // A middle is rounded up if the last bit is set: it is larger than the smallest number below 0, not than 0.
  const bool is_above = beyond > __hiloint2double(static_cast<int>(0x80000000u), static_cast<int>(bits & 1));
  bits = min(bits - Place::less + (is_above ? 1u : 0u), Place::infinite);
  const bool is_normal = is_normal_in<T>(estimate);
  return {is_normal && fabs(beyond) > bound, is_normal};
}

/// The bits of a double rounded to T: one that is exact, or a quotient by at most 2^28 within 1 + 2^-50 half
/// units in the last place, since no middle of two results is so near. A bfloat16 must be normal.
template <class T>
__device__ __forceinline__ unsigned rounded_to(double x) {
  if constexpr (std::is_same_v<T, Bfloat16>) {
    // Rounded to odd, 21 bits round once again as the double would have.
    const unsigned high = high_bits(x) | (low_bits(x) != 0 ? 1u : 0u);
    const unsigned bits = __float_as_uint(__double2float_rn(__hiloint2double(static_cast<int>(high), 0)));
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  } else if constexpr (std::is_same_v<T, Half>) {
    return __half_as_ushort(__double2half(x));
  } else {
    return __float_as_uint(__double2float_rn(x));
  }
}

/// Whether all sums of some elements are exact, and a power of two that these are below.
struct Exactness {
  bool is_exact;
  int top;
};
/// The same of up to 2^log_terms elements in these ranges.
template <Terms Which, class T>
__device__ __forceinline__ Exactness exactness_of(const KeyRange<T>& keys, int log_terms) {
  const int top = keys.top();
  if (keys.all_zero()) return {true, top};
  const int unit = keys.unit(), span = top - unit;
  if constexpr (Which == Terms::spread) return {2 * (span + 1 + log_terms) <= 53, top};
  if constexpr (Which == Terms::squares) return {2 * span + log_terms <= 53, top};
  const bool are_means_normal = !std::is_same_v<T, Bfloat16> || unit - log_terms >= -126;
  return {span + log_terms <= 53 && are_means_normal, top};
}

/// The sums of the terms of BoundedSums, of at most 2^LogTerms elements.
template <class T, Terms Which, int LogTerms = log_plain_terms>
struct PlainSums {
  static constexpr bool is_spread = Which == Terms::spread,
                        has_squares = is_spread || Which == Terms::squares;
  /// Of sums and magnitudes: multiples of 2^-24 below 2^16.
  static constexpr bool is_always_exact =
      std::is_same_v<T, Half> && (Which == Terms::values || Which == Terms::magnitudes);
  static constexpr bool must_be_exact = !has_squares && !is_always_exact;
  double values = Which == Terms::values ? -0.0 : 0.0, squares = 0;

  /// Sums of the first two elements.
  static __device__ __forceinline__ PlainSums of(double first, double second) {
    PlainSums sums;
    if constexpr (is_spread) {
      sums.values = __dadd_rn(second, -first);
      sums.squares = __dmul_rn(sums.values, sums.values);
    } else {
      sums.values = Which == Terms::magnitudes ? fabs(first) : first;
      sums.squares = __dmul_rn(first, first);
      sums.add(second, first);
    }
    return sums;
  }
  /// `shift` is the first element if is_spread.
  __device__ __forceinline__ void add(double x, double shift) {
    const double t = is_spread ? __dadd_rn(x, -shift) : Which == Terms::magnitudes ? fabs(x) : x;
    if constexpr (Which != Terms::squares) values = __dadd_rn(values, t);
    if constexpr (has_squares) squares = __fma_rn(t, t, squares);
  }

  /// The result in Out, the type of the task's. `IsSecond` tells a mean from a sum, and a root from a
  /// variance. What is not even told if sums are exact has bits for `special_result`.
  template <class Out, bool IsSecond>
  __device__ __forceinline__ Told result(const BoundedTask& task, unsigned& bits) const {
    if constexpr (is_spread) {
      const double all = __dmul_rn(task.count.value, squares);
      const Told told = round_quotient<Out, IsSecond>(
          __fma_rn(-values, values, all), all * power_of_two(LogTerms + 4 - 53), quotient_of(task), bits);
      if (!told.if_exact) bits = high_bits(squares);
      return told;
    } else if constexpr (has_squares) {
      const Told told = round_quotient<Out, true>(squares, squares * power_of_two(LogTerms + 3 - 53),
                                                  quotient_of(task), bits);
      if (!told.if_exact) bits = high_bits(squares);
      return told;
    } else {
      // Doubles hold all such sums: others have infinite or NaN elements.
      const bool is_finite = (high_bits(values) & 0x7fffffffu) < 0x7ff00000u;
      bits = is_finite ? rounded_to<Out>(sum_or_mean<IsSecond>(task)) : high_bits(values);
      return {false, is_finite};
    }
  }
  /// Whether a sum or mean that is not exact rounds as the exact one does, of elements below 2^top.
  template <class Out, bool IsSecond>
  __device__ __forceinline__ bool is_clear(const BoundedTask& task, int top) const {
    const double x = fabs(sum_or_mean<IsSecond>(task));
    unsigned bits;
    return is_normal_in<Out>(x) &&
           fabs(__dadd_rn(x, -middle_of<Out>(x, bits))) > power_of_two(top + 2 * LogTerms + 3 - 53);
  }
  /// Makes the result of special bits, the upper ones of squares or values: of zeros, infinities and NaN.
  /// False if they stand for other numbers.
  template <class Out>
  static __device__ __forceinline__ bool special_result(const BoundedTask& task, unsigned& bits) {
    if ((bits & 0x7fffffffu) < 0x7ff00000u) return has_squares && bits == 0;
    bits = is_spread || (bits & 0x7fffffffu) > 0x7ff00000u
               ? static_cast<unsigned>(task.nan)
               : PlaceInDouble<Out>::infinite | bits >> 31 << (8 * sizeof(Out) - 1);
    return true;
  }

 private:
  template <bool IsMean>
  __device__ __forceinline__ double sum_or_mean(const BoundedTask& task) const {
    if constexpr (!IsMean) return values;
    const double estimate = __dmul_rn(values, task.count.inverse);
    const double mean = __fma_rn(__fma_rn(-estimate, task.count.value, values), task.count.inverse, estimate);
    // Zero has a sign, too.
    return __hiloint2double(
        static_cast<int>((high_bits(mean) & 0x7fffffffu) | (high_bits(values) & 0x80000000u)),
        static_cast<int>(low_bits(mean)));
  }
  static __device__ __forceinline__ Divisor quotient_of(const BoundedTask& task) {
    if (task.operation == Operation::two_norm) return {1, 1};
    if (task.operation == Operation::root_mean_square) return task.count;
    const Divisor d = task.squared_count;
    if (task.operation != Operation::standard_error) return d;
    return {__dmul_rn(d.value, task.count.value), __dmul_rn(d.inverse, task.count.inverse)};
  }
};

/// Calls f.operator()<Out, IsSecond>(), see PlainSums, if plain sums of T tell results of the task's type.
template <class T, Terms Which, class F>
__device__ __forceinline__ void with_plain_result(const BoundedTask& task, const F& f) {
  constexpr ElementType own = std::is_same_v<T, Half>       ? ElementType::half
                              : std::is_same_v<T, Bfloat16> ? ElementType::bfloat16
                                                            : ElementType::float32;
  const auto with = [&]<class Out>() {
    const bool is_first = task.operation == Operation::sum || task.operation == Operation::variance;
    if ((Which == Terms::values || Which == Terms::spread) && !is_first)
      f.template operator()<Out, true>();
    else
      f.template operator()<Out, false>();
  };
  if (task.type == own)
    with.template operator()<T>();
  else if (sizeof(T) == 2 && task.type == ElementType::float32)
    with.template operator()<float>();
}

}  // namespace foldline::cuda
