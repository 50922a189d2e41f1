// Sums of tiles in a pipeline, and running sums of all tiles before one: exact or rounded.
#pragma once

#include "cuda/device/lane.cuh"
#include "cuda/exact/int192.cuh"

namespace foldline::cuda {

/// An exact sum, as an integer.
struct ExactSum {
  Int192 value;

  static __device__ __forceinline__ ExactSum identity() { return {}; }
  static __device__ __forceinline__ ExactSum of(const Int192& words) { return {words}; }
  __device__ __forceinline__ const Int192& words() const { return value; }
  /// The inclusive prefix sum over the first `lanes` lanes.
  __device__ __forceinline__ ExactSum inclusive_scan(int lanes) const {
    return {inclusive_warp_scan(value, lanes)};
  }
  /// Makes an inclusive prefix sum exclusive; `own` is this lane's value.
  __device__ __forceinline__ ExactSum to_exclusive(const ExactSum& own) const { return {value - own.value}; }
};

/// The sum of all tiles before one; the same in all lanes after `close`.
class ExactBefore {
 public:
  explicit __device__ __forceinline__ ExactBefore(const Int192& before_launch) : sum_(before_launch) {}

  __device__ __forceinline__ void add(const ExactSum& of_lane) { part_ = part_ + of_lane.value; }
  __device__ __forceinline__ void close() {
    sum_ = sum_ + warp_sum(part_);
    part_ = {};
  }
  __device__ __forceinline__ const Int192& sum() const { return sum_; }

 private:
  Int192 sum_, part_{};
};

/// A sum of doubles. The identity is -0, so that a sum of -0 stays -0.
struct RoundedSum {
  double value;

  static __device__ __forceinline__ RoundedSum identity() { return {-0.0}; }
  static __device__ __forceinline__ RoundedSum of(const Int192& words) { return {from_bits(words.word[0])}; }
  __device__ __forceinline__ Int192 words() const { return {bits_of(value), 0, 0}; }
  __device__ __forceinline__ RoundedSum operator+(const RoundedSum& other) const {
    return {Add(value, other.value)};
  }
  __device__ __forceinline__ RoundedSum warp_total() const {
    double sum = value;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      sum = Add(sum, __shfl_xor_sync(all_lanes, sum, distance));
    return {sum};
  }
  /// Lane 31's value, in all lanes.
  __device__ __forceinline__ RoundedSum broadcast_last_lane() const {
    return {__shfl_sync(all_lanes, value, 31)};
  }
  __device__ __forceinline__ RoundedSum inclusive_scan(int lanes) const {
    double sum = value;
    for (int distance = 1; distance < lanes; distance *= 2) {
      const double below = __shfl_up_sync(all_lanes, sum, distance);
      if (lane() >= distance) sum = Add(sum, below);
    }
    return {sum};
  }
  /// (Subtracting `own` would cancel what came before a large value.)
  __device__ __forceinline__ RoundedSum to_exclusive(const RoundedSum&) const {
    const double before = __shfl_up_sync(all_lanes, value, 1);
    return {lane() == 0 ? -0.0 : before};
  }
};

/// The order of additions depends on how many tiles are added at a time, hence on the number of blocks. The
/// running sum is kept as two doubles, so that it does not gather an error from every step.
class RoundedBefore {
 public:
  explicit __device__ __forceinline__ RoundedBefore(double before_launch) : high_(before_launch) {}

  __device__ __forceinline__ void add(const RoundedSum& of_lane) { part_ = part_ + of_lane; }
  __device__ __forceinline__ void close() {
    const double part = part_.warp_total().value;
    const double high = Add(high_, part), taken = Sub(high, high_);
    const double error = Add(Sub(high_, Sub(high, taken)), Sub(part, taken));
    if (error != 0 && is_finite(error)) low_ = Add(low_, error);
    high_ = high;
    part_ = RoundedSum::identity();
  }
  /// The sum is high() + low().
  __device__ __forceinline__ double high() const { return high_; }
  __device__ __forceinline__ double low() const { return low_; }

 private:
  double high_, low_ = -0.0;
  RoundedSum part_ = RoundedSum::identity();
};

}  // namespace foldline::cuda
