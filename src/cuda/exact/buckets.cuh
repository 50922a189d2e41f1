// Buckets: accumulators of each thread's own in shared memory, for terms of any exponents.
//
// A float term type (`Term::Buckets`) divides all exponents among a few buckets, and the exponent field of a
// term selects its bucket without a test. No other thread adds to it, so an addition is a load and a store
// and needs no atomic operation; the buckets of a thread lie in banks of their own, so lanes never conflict.
// After a bounded number of terms the warp sums its buckets and moves them to the digits.
//
// Digits would take three or four atomic additions per term and four times as many integer operations: for
// 2^28 floats over all exponents 0.19 of the memory bandwidth of an H200, against 0.70 to 0.75 with buckets.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/block.cuh"
#include "cuda/exact/digits.cuh"
#include "cuda/exact/windowed_terms.cuh"

namespace foldline::cuda {

/// The buckets of one thread. All threads of a warp use theirs together.
template <class Term, int Threads>
class Buckets {
 public:
  using Layout = typename Term::Buckets;

  using Content = typename Layout::Content;

  /// Clears buckets in dynamic shared memory.
  __device__ __forceinline__ Buckets()
      : Buckets(reinterpret_cast<Content*>(dynamic_memory()) + warp() * 32) {}
  /// Clears the buckets of a warp.
  explicit __device__ __forceinline__ Buckets(Content* of_warp) : bucket_(of_warp + lane()) {
#pragma unroll
    for (int i = 0; i < Layout::count; ++i) bucket_[i * Threads] = Layout::empty(i);
  }

  /// Adds a batch; at most Layout::max_terms terms between clearing and `close`.
  template <class Batch, class Spill>
  __device__ __forceinline__ void add(Batch batch, const Spill& spill) {
    if (!all_finite(batch)) {
#pragma unroll
      for (int i = 0; i < Batch::size; ++i) {
        if (Term::is_finite(batch.x[i], batch.second(i))) continue;
        Term::template spill<false>(batch.x[i], batch.second(i), spill);
        batch.x[i] = neutral<std::remove_cvref_t<decltype(batch.x[i])>>();
        if constexpr (Batch::two_vectors) batch.y[i] = batch.x[i];
      }
    }
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) add_finite(batch.x[i], batch.second(i));
  }
  /// Adds one finite term.
  template <class Element>
  __device__ __forceinline__ void add_finite(Element x, Element y) const {
    Layout::template add<Threads>(bucket_, x, y);
  }

  /// Moves the warp's buckets to the digits. A lane sums one bucket over all threads, or over a part of them.
  template <class Spill>
  __device__ __forceinline__ void close(const Spill& spill) const {
    constexpr int parts = 32 / Layout::count, threads = 32 / parts;
    static_assert(parts != 0);
    __syncwarp();
    const int i = lane() % Layout::count, part = lane() / Layout::count;
    std::uint64_t sum = 0;
    if (part < parts) {
      const Content* const first = bucket_ - lane() + i * Threads + part * threads;
#pragma unroll 8
      for (int k = 0; k < threads; ++k)
        sum += bits(first[(k + i) % threads]);  // rotated, so that lanes read different banks
      sum -= threads * bits(Layout::empty(i));
    }
    if (sum != 0) spill.add(static_cast<std::int64_t>(sum), Layout::unit(i));
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

  /// Tests all elements with one fma each, on a unit that is otherwise nearly idle.
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
