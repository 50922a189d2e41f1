// Single-wave scans of floats and doubles with Accuracy::fast: every addition rounds.
//
// Sums within a warp have the elements' own type, all others are doubles. An element passes at most 40
// roundings on the way to a result: of its vec16 (3, or 1 for doubles), of the rounds (15), of 32 lanes (5),
// of the warps (4), of the blocks (4 in a lane, then 5), and 3 to combine these. The order of additions
// depends only on the positions of the elements, their number, and the number of multiprocessors.
//
// Sums of floats cannot leave the range of doubles, and large doubles are summed separately, so a result is
// infinite or NaN only if an element before it is, or if the exact result overflows.
// are infinite or NaN if and only if an element before is, or if they should be.
#pragma once

#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/pipeline_sums.cuh"
#include "cuda/scan/single_wave_scan.cuh"

namespace foldline::cuda {

/// A sum of doubles in two parts: of those below 2^900, and of all others divided by 2^64. Neither can
/// overflow. The identity is -0 in both, so that a sum of -0 stays -0.
struct UnboundedSum {
  double small, large;

  static __device__ __forceinline__ UnboundedSum identity() { return {-0.0, -0.0}; }
  static __device__ __forceinline__ UnboundedSum of(const Int192& words) {
    return {from_bits(words.word[0]), from_bits(words.word[1])};
  }
  __device__ __forceinline__ Int192 words() const { return {bits_of(small), bits_of(large), 0}; }
  __device__ __forceinline__ UnboundedSum operator+(const UnboundedSum& other) const {
    return {Add(small, other.small), Add(large, other.large)};
  }
  __device__ __forceinline__ UnboundedSum inclusive_scan(int lanes) const {
    return {RoundedSum{small}.inclusive_scan(lanes).value, RoundedSum{large}.inclusive_scan(lanes).value};
  }
  __device__ __forceinline__ UnboundedSum to_exclusive(const UnboundedSum& own) const {
    return {RoundedSum{small}.to_exclusive({own.small}).value,
            RoundedSum{large}.to_exclusive({own.large}).value};
  }
  __device__ __forceinline__ UnboundedSum warp_total() const {
    return {RoundedSum{small}.warp_total().value, RoundedSum{large}.warp_total().value};
  }
  __device__ __forceinline__ UnboundedSum broadcast_last_lane() const {
    return {RoundedSum{small}.broadcast_last_lane().value, RoundedSum{large}.broadcast_last_lane().value};
  }
};

template <class T>
struct SingleWaveFast {
  using Element = T;
  static constexpr bool is_double = sizeof(T) == 8;
  using Sum = std::conditional_t<is_double, UnboundedSum, RoundedSum>;
  using Prefix = Sum;
  static constexpr T padding = T(-0.0);

  struct Local {
    bool fits;  // neither a sum of these elements nor one added to an in-range prefix overflows T
  };

#if __CUDA_ARCH__ >= 900
  static __device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
  static __device__ __forceinline__ double add(double a, double b) { return Add(a, b); }
  static __device__ __forceinline__ T before(T up_to, T) {
    const T below = __shfl_up_sync(all_lanes, up_to, 1);
    return lane() == 0 ? padding : below;
  }

  template <int Rounds, int PerVec16>
  static __device__ __forceinline__ Local summarize(const T (&x)[Rounds][PerVec16], T& lane_sum) {
    unsigned largest = 0;
    lane_sum = padding;
#pragma unroll
    for (const auto& vec16 : x) {
      T sum = vec16[0];
#pragma unroll
      for (int i = 1; i < PerVec16; ++i) sum = add(sum, vec16[i]);
      lane_sum = add(lane_sum, sum);
#pragma unroll
      for (const T element : vec16) largest = max(largest, leading_bits(element) & 0x7fffffffu);
    }
    return {warp_max(largest) < limit};
  }
  static __device__ __forceinline__ Sum sum(T lane_sum) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      lane_sum = add(lane_sum, __shfl_xor_sync(all_lanes, lane_sum, distance));
    return next(Sum::identity(), lane_sum);
  }

  static __device__ __forceinline__ Prefix prefix(const PipelineJob& job, const Sum& before) {
    return next(before, job.before.row[other_than_negative_zero_row] != 0 ? T(0.0) : T(-0.0));
  }
  template <int>
  static __device__ __forceinline__ bool is_plain(const Prefix& prefix, const Local& local,
                                                  const PipelineJob&) {
    if constexpr (is_double)
      return local.fits && bits_of(prefix.large) == sign_bit;
    else
      return local.fits && fabs(prefix.value) < 0x1p126;
  }
  static __device__ __forceinline__ T first(const Prefix& prefix) {
    if constexpr (is_double)
      return prefix.small;
    else
      return static_cast<T>(prefix.value);
  }

  static __device__ __forceinline__ Prefix next(const Prefix& sum, T x) {
    if constexpr (!is_double)
      return {Add(sum.value, static_cast<double>(x))};
    else if (fabs(x) < 0x1p900)
      return {Add(sum.small, x), sum.large};
    else
      return {sum.small, Add(sum.large, __dmul_rn(x, 0x1p-64))};
  }
  static __device__ __forceinline__ T rounded(const Prefix& sum, bool&) {
    T result;
    if constexpr (!is_double)
      result = static_cast<T>(sum.value);
    else if (sum.large == 0)
      result = Add(sum.small, sum.large);
    else
      result = __dmul_rn(MulAdd(sum.small, 0x1p-64, sum.large), 0x1p64);
    return result == result ? result : static_cast<T>(from_bits(canonical_nan));
  }

  static __device__ void store_carry(const PipelineJob& job, const Sum& of_launch) {
    const Prefix sum = prefix(job, of_launch);
    ScanCarry& carry = *job.after;
    double small, large = -0.0;
    if constexpr (is_double)
      small = sum.small, large = sum.large;
    else
      small = sum.value;
    const double both = MulAdd(small, 0x1p-64, large);  // times 2^64, this is the sum
    const int top = max(top_of(small), top_of(large) + 64), unit = max(top - 160, smallest_exponent);
    Int192 whole{};
    if (is_finite(both)) whole = int192_of(small, unit) + int192_of(large, unit - 64);
    set_limbs(carry, whole, unit);
    if (lane() != 0) return;
    carry.row[nan_row] = both != both;
    carry.row[positive_infinity_row] = bits_of(both) == infinity_bits;
    carry.row[negative_infinity_row] = bits_of(both) == (infinity_bits | sign_bit);
    carry.row[other_than_negative_zero_row] = bits_of(small) != sign_bit || bits_of(large) != sign_bit;
  }

 private:
  /// Limit of magnitudes. Floats: 2^114, so that the 2048 elements of a warp and a prefix below 2^126 stay
  /// below 2^127. Doubles: 2^900.
  static constexpr unsigned limit = is_double ? (1023u + 900) << 20 : (127u + 114) << 23;

  static __device__ __forceinline__ unsigned leading_bits(float x) { return __float_as_uint(x); }
  static __device__ __forceinline__ unsigned leading_bits(double x) { return high_bits(x); }

  /// x is below 2^top.
  static __device__ __forceinline__ int top_of(double x) {
    return static_cast<int>(high_bits(x) >> 20 & infinite_field) + 1 - exponent_bias;
  }
#endif
};

}  // namespace foldline::cuda
