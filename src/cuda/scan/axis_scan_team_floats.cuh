// The running sum of a team's part, of floating-point numbers. Sums are two doubles as in axis_scan_sums.hpp,
// of short types first a single one. Only the last step is verified: that every addition to a lane's first
// sum was exact, and that its last sum is the first one of the next lane. By induction all are then exact,
// and it does not matter how the first ones were found. A tile for which that fails is scanned by long
// numbers.
#pragma once

#include "cuda/scan/axis_scan_team.cuh"

namespace foldline::cuda {

/// Adds; false if the sum is not exact.
__device__ __forceinline__ bool merge(TwoDoubles& sum, const TwoDoubles& other) {
  const bool is_exact = sum.add(other.high);
  return sum.add(-other.rest) && is_exact;
}
/// A sum of two, which may not be exact.
__device__ __forceinline__ TwoDoubles joined(const TwoDoubles& a, const TwoDoubles& b) {
  using one_lane::Add, one_lane::Sub;
  const double sum = Add(a.high, b.high), taken = Sub(sum, a.high);
  const double error = Add(Sub(a.high, Sub(sum, taken)), Sub(b.high, taken));
  return {sum, Sub(Add(a.rest, b.rest), error)};
}
__device__ __forceinline__ bool is_same(const TwoDoubles& a, const TwoDoubles& b) {
  return bits_of(a.high) == bits_of(b.high) && a.rest == b.rest;
}
template <class Shuffle>
__device__ __forceinline__ TwoDoubles shuffled(const TwoDoubles& sum, const Shuffle& shuffle) {
  return {shuffle(sum.high), shuffle(sum.rest)};
}

/// The running sum of a team's part, of floating-point numbers.
template <class Kind, int Warps>
class TeamFloats {
  using Word = typename Kind::Word;
  using Own = Team<Warps>;

 public:
  __device__ TeamFloats(const AxisScanTask& task, const VectorPart& part, TeamMemory<Kind>& memory)
      : task_(task), part_(part), memory_(memory) {}

  __device__ void start(const TwoDoubles& sum, bool is_long, const ScanState& long_sum) {
    carry_ = sum;
    is_long_ = is_long;
    if (!is_long) return;
    Own::sync();
    if (Own::is_first_thread()) *memory_.long_carry[Own::number()].state() = long_sum;
    Own::sync();
  }

  /// Replaces the elements of a tile by their results; false if these are in place already.
  __device__ __forceinline__ bool scan(Word (&words)[scan_batch], std::int64_t first) {
    if (!is_long_) {
      if constexpr (Kind::is_shorter_than_double) {
        if (carry_.rest == 0) {
          if (scan_as_one(words)) return true;
          memory_.warps[warp()].take(words);
        }
      }
      if (scan_as_two(words)) return true;
    }
    scan_long(task_, part_, memory_, carry_, is_long_, first);
    carry_ = memory_.carry[Own::number()].get();
    is_long_ = memory_.is_long[Own::number()];
    return false;
  }
  __device__ __forceinline__ void finish() const {}

  /// Stores the sum of the part.
  __device__ void add_up(PartSums& sums, std::int64_t index) {
    TwoDoubles sum;
    bool is_exact = true;
    for (std::int64_t first = 0; first < part_.length; first += Own::tile) {
      Word words[scan_batch];
      const std::int64_t i = first + thread();
      read_batch<Kind>(task_, part_.x + i * task_.stride, 32 * Warps * task_.stride, count_from(i), words);
#pragma unroll
      for (int k = 0; k < scan_batch; ++k)
        is_exact = Kind::for_each_number(task_, words[k], [&](double x) { return sum.add(x); }) && is_exact;
      sum.renormalise();
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      is_exact =
          merge(sum, shuffled(sum, [&](double x) { return __shfl_xor_sync(all_lanes, x, distance); })) &&
          is_exact;
    if constexpr (Warps > 1) {
      if (lane() == 0) memory_.total[Own::own_warp()].set(sum);
      Own::sync();
#pragma unroll
      for (int w = 1; w < Warps; ++w)
        if (Own::own_warp() == 0) is_exact = merge(sum, memory_.total[w].get()) && is_exact;
    }
    is_exact = Own::all(is_exact);
    if (Own::is_first_thread()) {
      sums.sum[index] = sum;
      sums.is_long[index] = !is_exact;
    }
    if (is_exact) return;
    const int lanes = Warps * long_lanes;
    if (lane() < long_lanes)
      add_long(task_, part_, memory_, Own::own_warp() * long_lanes + lane(), lanes, part_.length);
    Own::sync();
    if (Own::is_first_thread()) {
      ScanState& all = sums.state[index];
      all = ScanState();
      for (int w = 0; w < Warps; ++w)
        for (int l = 1; l <= long_lanes; ++l) append(all, *memory_.warps[w + Own::first_warp()].state(l));
    }
    Own::sync();
  }

 private:
  static __device__ __forceinline__ int thread() { return Own::own_warp() * 32 + lane(); }
  /// Batches of the threads from element i on.
  __device__ __forceinline__ std::int64_t count_from(std::int64_t i) const {
    constexpr int threads = 32 * Warps;
    return i < part_.length ? (part_.length - i + threads - 1) / threads : 0;
  }
  static __device__ __forceinline__ double from_below(double x, int distance) {
    return __shfl_up_sync(all_lanes, x, distance);
  }

  /// With sums that are doubles. False, and words are lost, if these cannot hold them.
  __device__ __forceinline__ bool scan_as_one(Word (&words)[scan_batch]) {
    using one_lane::Add, one_lane::Sub;
    double own = -0.0;
#pragma unroll
    for (int k = 0; k < scan_batch; ++k)
      Kind::for_each_number(task_, words[k], [&](double x) { return own = Add(own, x), true; });
    double up_to = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const double below = from_below(up_to, distance);
      if (lane() >= distance) up_to = Add(below, up_to);
    }
    double of_warp = carry_.high, end = carry_.high, after = carry_.high;
    if constexpr (Warps == 1) {
      after = end = Add(carry_.high, __shfl_sync(all_lanes, up_to, 31));
    } else {
      if (lane() == 31) memory_.total[Own::own_warp()].high = up_to;
      Own::sync();
#pragma unroll
      for (int w = 0; w < Warps; ++w) {
        if (w == Own::own_warp()) of_warp = after;
        after = Add(after, memory_.total[w].high);
        if (w == Own::own_warp()) end = after;
      }
    }
    const double below = from_below(up_to, 1);
    const double start = Add(of_warp, lane() == 0 ? -0.0 : below);
    double sum = start;
    std::uint64_t difference = 0;  // of what the sum took of its terms from these; zeros have any sign
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) {
      const double without = sum;
      Kind::for_each_number(task_, words[k], [&](double x) {
        sum = Add(without, x);
        difference |= (bits_of(Sub(sum, without)) ^ bits_of(x)) | (bits_of(Sub(sum, x)) ^ bits_of(without));
        return true;
      });
      words[k] = Kind::rounded(task_, task_.exclusive ? without : sum);
    }
    const double above = __shfl_down_sync(all_lanes, start, 1);
    if (!Own::all(difference << 1 == 0 && bits_of(sum) == bits_of(lane() == 31 ? end : above))) return false;
    carry_ = {after, 0};
    return true;
  }

  /// With sums that are two doubles; as above.
  __device__ __forceinline__ bool scan_as_two(Word (&words)[scan_batch]) {
    TwoDoubles own;
#pragma unroll
    for (int k = 0; k < scan_batch; ++k)
      Kind::for_each_number(task_, words[k], [&](double x) { return own.add(x), true; });
    TwoDoubles up_to = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const TwoDoubles below = shuffled(up_to, [&](double x) { return from_below(x, distance); });
      if (lane() >= distance) up_to = joined(below, up_to);
    }
    TwoDoubles of_warp = carry_, end = carry_, after = carry_;
    if constexpr (Warps == 1) {
      after = joined(carry_, shuffled(up_to, [](double x) { return __shfl_sync(all_lanes, x, 31); }));
      after.renormalise();
      end = after;
    } else {
      if (lane() == 31) memory_.total[Own::own_warp()].set(up_to);
      Own::sync();
#pragma unroll
      for (int w = 0; w < Warps; ++w) {
        if (w == Own::own_warp()) of_warp = after;
        after = joined(after, memory_.total[w].get());
        if (w == Own::own_warp()) end = after;
      }
      after.renormalise();
      end.renormalise();
    }
    const TwoDoubles below = shuffled(up_to, [](double x) { return from_below(x, 1); });
    TwoDoubles start = of_warp;
    if (lane() != 0) start = joined(of_warp, below);
    start.renormalise();
    TwoDoubles sum = start;
    bool is_exact = true;
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) {
      const TwoDoubles without = sum;
      is_exact = Kind::for_each_number(task_, words[k], [&](double x) { return sum.add(x); }) && is_exact;
      words[k] = Kind::rounded(task_, task_.exclusive ? without : sum);
    }
    sum.renormalise();
    const TwoDoubles above = shuffled(start, [](double x) { return __shfl_down_sync(all_lanes, x, 1); });
    if (!Own::all(is_exact && is_same(sum, lane() == 31 ? end : above))) return false;
    carry_ = after;
    return true;
  }

  /// Sets a lane's long number, one after those before, to the sum of elements first, first + step, ...
  static __device__ void add_long(const AxisScanTask& task, const VectorPart& part, TeamMemory<Kind>& memory,
                                  std::int64_t first, std::int64_t step, std::int64_t last) {
    ScanState& sum = *memory.warps[warp()].state(lane() + 1);
    sum = ScanState();
    for (std::int64_t i = first; i < last; i += step)
      Kind::for_each_number(task, Kind::read(task, part.x + i * task.stride),
                            [&](double x) { return append(sum, x), true; });
  }

  /// Scans a tile from its elements in memory to its results there, and stores the sum after it. Lane l adds
  /// up its elements in number l + 1, so that it can scan them from number l.
  static __device__ __noinline__ void scan_long(const AxisScanTask& task, VectorPart part,
                                                TeamMemory<Kind>& memory, TwoDoubles carry, bool is_long,
                                                std::int64_t tile_first) {
    constexpr int each = team_tile / long_lanes;
    ScanState* const state_of_carry = memory.long_carry[Own::number()].state();
    WarpMemory<Kind>& own = memory.warps[warp()];
    const std::int64_t first = tile_first + Own::own_warp() * team_tile + lane() * each;
    const std::int64_t last = lesser(first + each, part.length);
    if (Own::is_first_thread() && !is_long) {
      *state_of_carry = ScanState();
      append(*state_of_carry, carry);
    }
    __syncwarp();  // the warp's elements have been read
    if (lane() < long_lanes) add_long(task, part, memory, first, 1, last);
    __syncwarp();
    if (lane() == 0) {
      *own.state(0) = ScanState();
      for (int l = 1; l <= long_lanes; ++l) append(*own.state(l), *own.state(l - 1));
    }
    Own::sync();
    if (lane() < long_lanes) {
      ScanState& sum = *own.state(lane());
      append(sum, *state_of_carry);
      for (int w = 0; w < Own::own_warp(); ++w) append(sum, *memory.warps[w].state(long_lanes));
      for (std::int64_t i = first; i < last; ++i) {
        const Word word = Kind::read(task, part.x + i * task.stride);
        const auto add = [&] {
          Kind::for_each_number(task, word, [&](double x) { return sum.add(x), true; });
        };
        if (!task.exclusive) add();
        Kind::write(task, part.out + i * task.out_stride, static_cast<Word>(rounded_bits(sum, task)));
        if (task.exclusive) add();
      }
    }
    Own::sync();
    if (Own::is_first_thread()) {
      for (int w = 0; w < Warps; ++w)
        append(*state_of_carry, *memory.warps[w + Own::first_warp()].state(long_lanes));
      TwoDoubles sum;
      memory.is_long[Own::number()] = !is_two_doubles(*state_of_carry, sum, *own.state(0));
      memory.carry[Own::number()].set(sum);
    }
    Own::sync();
  }

  const AxisScanTask& task_;
  const VectorPart& part_;
  TeamMemory<Kind>& memory_;
  TwoDoubles carry_;  // before the tile
  bool is_long_;      // it is in memory instead
};

}  // namespace foldline::cuda
