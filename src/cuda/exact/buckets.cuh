// Buckets: what a thread adds up of terms of any exponents, in shared memory of its own.
//
// A rule of floats has some, each of so many binades that they hold them all, and a term goes to the one that
// its exponent field says, without a test. Nobody else adds to it, so that takes a load and a store and no
// atomic operation; a thread's buckets are in banks of its own, so that no two wait for each other, whatever
// the data. They are open for some tiles, and then a warp adds up its own and moves them to the digits.
//
// What digits cost instead are three or four atomic additions and four times the integer operations: 2^28
// floats of all exponents are added up at 0.19 of the speed of memory on an H200 by digits, at 0.70 to 0.75
// so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/device/block.cuh"
#include "cuda/exact/digits.cuh"
#include "cuda/exact/rules.cuh"

namespace foldline::cuda {

template <class Sum>
concept HasBuckets = requires { typename Sum::Rule::Buckets; };

/// Bytes of shared memory for each thread's buckets of a sum.
template <class Sum>
inline constexpr int bucket_bytes = 0;
template <HasBuckets Sum>
inline constexpr int bucket_bytes<Sum> = Sum::Rule::Buckets::count * static_cast<int>(sizeof(std::int64_t));

/// The sums that a kernel gathers take turns with one memory.
template <class Sums>
inline constexpr int most_bucket_bytes =
    std::max({bucket_bytes<decltype(Sums::values)>, bucket_bytes<decltype(Sums::magnitudes)>,
              bucket_bytes<decltype(Sums::products)>});

/// Whether the launch brought memory for buckets: for few tiles, or on a device with little of it, it does
/// not.
__device__ __forceinline__ bool has_buckets() { return dynamic_memory_bytes() != 0; }

/// The buckets of one thread; all threads of a warp have theirs at once.
template <class Rule, int Threads>
class Buckets {
 public:
  using Own = typename Rule::Buckets;

  using Content = typename Own::Content;

  /// Opens those in memory that the launch brought.
  __device__ __forceinline__ Buckets()
      : Buckets(reinterpret_cast<Content*>(dynamic_memory()) + warp() * 32) {}
  /// Opens those of a warp.
  explicit __device__ __forceinline__ Buckets(Content* of_warp) : bucket_(of_warp + lane()) {
#pragma unroll
    for (int i = 0; i < Own::count; ++i) bucket_[i * Threads] = Own::empty(i);
  }

  /// Adds a batch; at most Own::most_terms terms between opening and closing.
  template <class Batch, class Spill>
  __device__ __forceinline__ void add(Batch batch, const Spill& spill) {
    if (!all_finite(batch)) {
#pragma unroll
      for (int i = 0; i < Batch::size; ++i) {
        if (Rule::is_finite(batch.x[i], batch.second(i))) continue;
        Rule::template spill<false>(batch.x[i], batch.second(i), spill);
        batch.x[i] = neutral<std::remove_cvref_t<decltype(batch.x[i])>>();
        if constexpr (Batch::two_vectors) batch.y[i] = batch.x[i];
      }
    }
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) add_finite(batch.x[i], batch.second(i));
  }
  /// Adds one term, which is finite.
  template <class Element>
  __device__ __forceinline__ void add_finite(Element x, Element y) const {
    Own::template add<Threads>(bucket_, x, y);
  }

  /// Moves the warp's to the digits: a lane adds up one bucket of all of its threads, or of some.
  template <class Spill>
  __device__ __forceinline__ void close(const Spill& spill) const {
    constexpr int parts = 32 / Own::count, threads = 32 / parts;
    static_assert(parts != 0);
    __syncwarp();
    const int i = lane() % Own::count, part = lane() / Own::count;
    std::uint64_t sum = 0;
    if (part < parts) {
      const Content* const first = bucket_ - lane() + i * Threads + part * threads;
#pragma unroll 8
      for (int k = 0; k < threads; ++k) sum += bits(first[(k + i) % threads]);  // of different banks
      sum -= threads * bits(Own::empty(i));
    }
    if (sum != 0) spill.add(static_cast<std::int64_t>(sum), Own::unit(i));
    __syncwarp();
  }

 private:
  static_assert(sizeof(Content) == sizeof(std::int64_t));

  static __device__ __forceinline__ std::uint64_t bits(double x) {
    return static_cast<std::uint64_t>(__double_as_longlong(x));
  }
  static __device__ __forceinline__ std::uint64_t bits(std::int64_t x) {
    return static_cast<std::uint64_t>(x);
  }

  /// Whether all of a batch's elements are: one operation each, of a unit with little else to do.
  template <class Batch>
  static __device__ __forceinline__ bool all_finite(const Batch& batch) {
    float zero = 0;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) {
      zero = __fmaf_rn(as_float(batch.x[i]), 0.0f, zero);
      if constexpr (Batch::two_vectors) zero = __fmaf_rn(as_float(batch.y[i]), 0.0f, zero);
    }
    return zero == 0;
  }

  Content* bucket_;
};

}  // namespace foldline::cuda
