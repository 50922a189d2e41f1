// Single-wave scans of 32- and 64-bit integers whose results have the same type.
#pragma once

#include <type_traits>

#include "cuda/device/warp_scan.cuh"
#include "cuda/scan/single_wave_scan.cuh"

namespace foldline::cuda {

/// An exact sum in a type that is certain to hold it.
template <class Number>
struct NumberSum {
  Number value;

  static __device__ __forceinline__ NumberSum identity() { return {0}; }
  static __device__ __forceinline__ NumberSum of(const Int192& words) {
    return {static_cast<Number>(static_cast<Uint128>(words.word[1]) << 64 | words.word[0])};
  }
  __device__ __forceinline__ Int192 words() const { return int192_of(Int128{value}); }
  __device__ __forceinline__ NumberSum operator+(const NumberSum& other) const {
    return {value + other.value};
  }
  __device__ __forceinline__ NumberSum inclusive_scan(int) const { return {inclusive_warp_scan(value)}; }
  __device__ __forceinline__ NumberSum to_exclusive(const NumberSum& own) const {
    return {value - own.value};
  }
  __device__ __forceinline__ NumberSum warp_total() const { return {warp_sum(value)}; }
  /// Lane 31's value, in all lanes.
  __device__ __forceinline__ NumberSum broadcast_last_lane() const {
    const auto bits = static_cast<Uint128>(value);
    const std::uint64_t low = __shfl_sync(all_lanes, static_cast<std::uint64_t>(bits), 31);
    const std::uint64_t high = __shfl_sync(all_lanes, static_cast<std::uint64_t>(bits >> 64), 31);
    return {static_cast<Number>(static_cast<Uint128>(high) << 64 | low)};
  }
};

template <class T>
struct SingleWaveIntegers {
  using Element = T;
  using Sum = NumberSum<std::conditional_t<sizeof(T) == 4, std::int64_t, Int128>>;
  using Prefix = NumberSum<Int128>;
  static constexpr T padding = 0;

  struct Local {
    int bits;   // every element is in [-2^bits, 2^bits), or in [0, 2^bits) if unsigned
    bool fits;  // every sum of these elements fits in T
  };

#if __CUDA_ARCH__ >= 900
  static __device__ __forceinline__ T add(T a, T b) {
    return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
  }
  static __device__ __forceinline__ T before(T up_to, T own) {
    return static_cast<T>(static_cast<Bits>(up_to) - static_cast<Bits>(own));
  }

  template <int Rounds, int PerVec16>
  static __device__ __forceinline__ Local summarize(const T (&x)[Rounds][PerVec16], T& lane_sum) {
    unsigned magnitudes = 0;  // OR of the magnitudes (of 64-bit elements, of their high halves)
    Bits sum = 0;
#pragma unroll
    for (const auto& vec16 : x)
#pragma unroll
      for (const T element : vec16) {
        const T magnitude = std::is_signed_v<T> ? element ^ (element >> (all_bits - 1)) : element;
        magnitudes |= static_cast<unsigned>(static_cast<Bits>(magnitude) >> (all_bits - 32));
        sum += static_cast<Bits>(element);
      }
    lane_sum = static_cast<T>(sum);
    magnitudes = __reduce_or_sync(all_lanes, magnitudes);
    const int bits = all_bits - __clz(static_cast<int>(magnitudes));
    constexpr Int128 range = Int128{1} << (all_bits - (std::is_signed_v<T> ? 1 : 0));
    return {bits, Int128{Rounds * 32 * PerVec16} << bits <= range};
  }
  static __device__ __forceinline__ Sum sum(T lane_sum) {
    if constexpr (sizeof(T) == 4)
      return {static_cast<T>(__reduce_add_sync(all_lanes, static_cast<unsigned>(lane_sum)))};
    else
      return {static_cast<T>(warp_sum(static_cast<std::int64_t>(lane_sum)))};
  }

  static __device__ __forceinline__ Prefix prefix(const PipelineJob& job, const Sum& before) {
    return {static_cast<Int128>(job.before.integer + static_cast<Uint128>(Int128{before.value}))};
  }
  template <int Elements>
  static __device__ __forceinline__ bool is_plain(const Prefix& prefix, const Local& local,
                                                  const PipelineJob& job) {
    if (!job.checked) return true;
    const Int128 reach = Int128{Elements} << local.bits;
    return holds(prefix.value - (std::is_signed_v<T> ? reach : 0)) && holds(prefix.value + reach);
  }
  static __device__ __forceinline__ T first(const Prefix& prefix) { return static_cast<T>(prefix.value); }

  template <class Number>
  static __device__ __forceinline__ NumberSum<Number> next(const NumberSum<Number>& sum, T x) {
    return {sum.value + x};
  }
  static __device__ __forceinline__ T rounded(const Prefix& sum, bool& fits) {
    fits = holds(sum.value);
    return static_cast<T>(sum.value);
  }

  static __device__ void store_carry(const PipelineJob& job, const Sum& sum) {
    if (lane() == 0) job.after->integer = static_cast<Uint128>(prefix(job, sum).value);
  }

 private:
  using Bits = std::make_unsigned_t<T>;
  static constexpr int all_bits = 8 * sizeof(T);

  static __device__ __forceinline__ bool holds(Int128 sum) { return sum == static_cast<T>(sum); }
#endif
};

}  // namespace foldline::cuda
