// The running sum of a team's part, of integers.
#pragma once

#include <type_traits>

#include "cuda/device/warp_scan.cuh"
#include "cuda/scan/axis_scan_team.cuh"

namespace foldline::cuda {

/// The running sum of a team's part, of integers.
template <class Kind, int Warps>
class TeamIntegers {
  using Word = typename Kind::Word;
  using Own = Team<Warps>;

 public:
  __device__ TeamIntegers(const AxisScanTask& task, const VectorPart& part, TeamMemory<Kind>& memory)
      : task_(task), part_(part), memory_(memory) {}

  __device__ void start(Uint128 sum) { carry_ = sum; }

  __device__ __forceinline__ bool scan(Word (&words)[scan_batch], std::int64_t first) {
    if (task_.checked && task_.element_bytes == 8)
      scan_as<Uint128>(words, first);
    else
      scan_as<std::int64_t>(words, first);
    return true;
  }
  __device__ __forceinline__ void finish() const {
    if (overflow_ >= 0) atomicMax(task_.status, ~static_cast<unsigned long long>(overflow_));
  }

  __device__ void add_up(PartSums& sums, std::int64_t index) {
    constexpr int threads = 32 * Warps;
    Uint128 sum = 0;
    for (std::int64_t first = 0; first < part_.length; first += Own::tile) {
      Word words[scan_batch];
      const std::int64_t i = first + Own::own_warp() * 32 + lane();
      read_batch<Kind>(task_, part_.x + i * task_.stride, threads * task_.stride,
                       i < part_.length ? (part_.length - i + threads - 1) / threads : 0, words);
#pragma unroll
      for (int k = 0; k < scan_batch; ++k) sum += Kind::number(task_, words[k]);
    }
    sum = static_cast<Uint128>(warp_sum(static_cast<Int128>(sum)));
    if constexpr (Warps > 1) sum = carry_over(sum, lane() == 0).after;
    if (Own::is_first_thread()) sums.integer[index] = sum;
  }

 private:
  struct Carried {
    Uint128 before, after;  // of the tile's warps before, and of all
  };
  /// By all threads: exchanges the sums of warps, which one lane each has.
  __device__ __forceinline__ Carried carry_over(Uint128 of_warp, bool has_it) {
    std::uint64_t(&total)[2][max_team_warps] = memory_.total[turn_];
    turn_ ^= 1;
    if (has_it) {
      total[0][Own::own_warp()] = static_cast<std::uint64_t>(of_warp);
      total[1][Own::own_warp()] = static_cast<std::uint64_t>(of_warp >> 64);
    }
    Own::sync();
    Carried carried{0, 0};
#pragma unroll
    for (int w = 0; w < Warps; ++w) {
      if (w == Own::own_warp()) carried.before = carried.after;
      carried.after += static_cast<Uint128>(total[1][w]) << 64 | total[0][w];
    }
    return carried;
  }
  static __device__ __forceinline__ Uint128 widened(std::int64_t x) {
    return static_cast<Uint128>(Int128{x});
  }
  static __device__ __forceinline__ Uint128 widened(Uint128 x) { return x; }

  /// With sums of a tile in `Sum`.
  template <class Sum>
  __device__ __forceinline__ void scan_as(Word (&words)[scan_batch], std::int64_t first) {
    using Bits = std::conditional_t<std::is_same_v<Sum, Uint128>, Uint128, std::uint64_t>;
    const auto number = [&](Word word) {
      if constexpr (std::is_same_v<Sum, Uint128>)
        return Kind::number(task_, word);
      else
        return word;
    };
    Bits own = 0;
#pragma unroll
    for (int k = 0; k < scan_batch; ++k) own += number(words[k]);
    const Sum up_to = inclusive_warp_scan(static_cast<Sum>(own));
    Uint128 before = carry_ + widened(static_cast<Sum>(static_cast<Bits>(up_to) - own));
    if constexpr (Warps == 1) {
      Uint128 total;
      if constexpr (std::is_same_v<Sum, Uint128>)
        total = static_cast<Uint128>(shuffle(static_cast<Int128>(up_to), 31));
      else
        total = widened(__shfl_sync(all_lanes, up_to, 31));
      scan_from(before, words, first);
      carry_ += total;
    } else {
      const Carried carried = carry_over(widened(up_to), lane() == 31);
      scan_from(before + carried.before, words, first);
      carry_ += carried.after;
    }
  }
  __device__ __forceinline__ void scan_from(Uint128 sum, Word (&words)[scan_batch], std::int64_t first) {
    if (fits_from(task_, carry_)) {
      auto low = static_cast<std::uint64_t>(sum);
#pragma unroll
      for (int k = 0; k < scan_batch; ++k) {
        const std::uint64_t without = low;
        low += words[k];
        words[k] = (task_.exclusive ? without : low) & task_.mask;
      }
      return;
    }
    IntegerSum<Kind> running{sum, first + Own::own_warp() * team_tile + scan_batch * lane(), part_.length,
                             overflow_};
    running.place += part_.first;
    running.end += part_.first;
    running.scan(task_, words);
    overflow_ = running.overflow;
  }

  const AxisScanTask& task_;
  const VectorPart& part_;
  TeamMemory<Kind>& memory_;
  Uint128 carry_ = 0;  // before the tile
  std::int64_t overflow_ = -1;
  int turn_ = 0;
};

}  // namespace foldline::cuda
