// Batches that did not fit the window, which a warp puts off.
//
// To add them at once would hold up the lanes whose batches did fit, and take registers from the loop over
// data. Put off, they are shared out among the lanes: of 2^28 uniform doubles of which one in a hundred is
// too large for the window, that is one batch in twelve. Where many batches are put off, the warp takes some
// tiles without trying: `add_untried`.
#pragma once

#include "cuda/device/sources.cuh"
#include "cuda/exact/buckets.cuh"
#include "cuda/reduce/gathered.cuh"

namespace foldline::cuda {

/// The extrema of elements.
struct Extrema {
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  template <class Element>
  __device__ __forceinline__ void add(Element x) {
    const std::int64_t key = key_of(x);
    lowest = min(lowest, key);
    highest = max(highest, key);
  }
};

/// When a warp takes tiles without trying whether they fit: if its queue was full after so many; and how many
/// it takes then, at first, and at most where it comes to that again and again. Additions to digits take
/// several times as long as to try, those to buckets hardly more; and to read again what was deferred, when
/// it is in no cache any more, moves four times as much memory as it is. (With at most 64 tiles at a time the
/// norm of floats, one in a hundred of which is an outlier, was 0.50 of a plain read's speed on an H200, with
/// 1024 it is 0.51, a dot product 0.68 instead of 0.61. With digits dot products of doubles of any exponents
/// reach 0.57 with at most 128 tiles, 0.53 with 32.)
struct Patience {
  int tiles, first, most;
};
template <class Sums>
__device__ __forceinline__ Patience patience() {
  if constexpr (most_bucket_bytes<Sums> != 0)
    if (has_buckets()) return {16 * (queue_capacity / 32), 64, 1024};
  return {2 * (queue_capacity / 32), 2, 128};
}

/// Whether all elements of a batch that are present are -0.
template <class Taken>
__device__ __forceinline__ bool are_negative_zeros(const Taken& batch, std::uint64_t present) {
  bool are = true;
#pragma unroll
  for (int i = 0; i < Taken::size; ++i) are &= (present >> i & 1) == 0 || is_negative_zero(batch.x[i]);
  return are;
}

/// What a thread has gathered so far.
template <class Sums>
struct State {
  Sums sums;
  Extrema extrema;
  bool only_negative_zeros = true;  // as far as the first batch's keys tell, and tiles that are not full
  bool spilled = false;
  bool has_moved = false;  // a window of the warp
  int drains = 0;          // of the warp's queue, since the last move of a window
  int untried = 0;         // tiles that it took the last time without trying

  /// Looks at what is not added up.
  template <class Taken>
  __device__ __forceinline__ void look_at(const Taken& batch) {
    if constexpr (Sums::extrema) {
#pragma unroll
      for (int i = 0; i < Taken::size; ++i) extrema.add(batch.x[i]);
    }
  }
};

/// A batch in a warp's queue: of which lane, and which of the sums lack it.
struct Deferred {
  unsigned bits;
  __device__ Deferred(int tile, unsigned what)
      : bits(static_cast<unsigned>(tile) << 8 | static_cast<unsigned>(lane()) << 3 | what) {}
  explicit __device__ Deferred(unsigned stored) : bits(stored) {}
  __device__ int tile() const { return static_cast<int>(bits >> 8); }
  __device__ int lane_of() const { return static_cast<int>(bits >> 3 & 31); }
  __device__ bool lacks(int place) const { return (bits >> place & 1) != 0; }
};
static_assert(max_sums == 3);

/// Adds the lanes' batches for which `what` is not 0 to the warp's queue; returns how many it holds.
__device__ __forceinline__ int defer(unsigned* queue, int queued, int tile, unsigned what) {
  const unsigned lanes = __ballot_sync(all_lanes, what != 0);
  if (lanes == 0) return queued;
  const int before = __popc(lanes & ((1u << lane()) - 1));
  if (what != 0) queue[queued + before] = Deferred(tile, what).bits;
  return queued + __popc(lanes);
}

/// Whether the warp's window of a sum was moved to where more of the deferred terms fit: if less than half as
/// many are left then. What it tries is the window above the largest term of the batch whose largest is in
/// the middle: a few outliers do not decide it.
template <class Sum, class BatchOf, class Spill>
__device__ bool move_window(Sum& sum, int place, const unsigned* queue, int queued, const BatchOf& batch_of,
                            const Spill& spill) {
  unsigned largest = 0;
  int left = 0;
  for (int i = lane(); i < queued; i += 32) {
    const Deferred deferred(queue[i]);
    if (!deferred.lacks(place)) continue;
    const auto batch = batch_of(deferred);
    largest = Sum::largest_key(batch);
    left += sum.left_of(batch);
  }
  Sum other;
  other.open_above(warp_median(largest));
  if (other.window() == sum.window()) return false;
  int left_of_other = 0;
  for (int i = lane(); i < queued; i += 32)
    if (const Deferred deferred(queue[i]); deferred.lacks(place))
      left_of_other += other.left_of(batch_of(deferred));
  if (2 * warp_sum(left_of_other) >= warp_sum(left)) return false;
  sum.flush(spill);
  sum = other;
  return true;
}

/// Adds the warp's deferred batches, one lane as many as another. `may_move`: a window, because more may
/// come; otherwise these are few and the last, and the level below the window is tried before the digits. (To
/// spill a single term takes 4 to 7 us, on an H200.)
///
/// The state by value, so that what the loop over data keeps stays in registers.
template <class Source, class Sums, int Threads>
__device__ __noinline__ State<Sums> add_deferred(State<Sums> state, const Source& source, int queued,
                                                 bool may_move, BlockMemory<Sums, Threads>& memory) {
  __syncwarp();
  const unsigned* const queue = memory.queue[warp()];
  const auto batch_of = [&](const Deferred& deferred) {
    const auto reader = source.reader(deferred.tile(), warp() * 32 + deferred.lane_of());
    return reader.batch_of_any();
  };
  const bool are_last = !may_move;
  if (may_move) {
    // To look for a better window takes longer than to add what is in the queue. If it is in vain, the next
    // look is after twice as many.
    may_move = (state.drains & (state.drains + 1)) == 0;
    ++state.drains;
  }
  for_each_sum(state.sums, [&](auto& sum, int place) {
    const auto spill = memory.spill(sum, place);
    if (may_move && move_window(sum, place, queue, queued, batch_of, spill)) {
      state.drains = 0;
      state.spilled = state.has_moved = true;
    }
    const auto add_all = [&](auto add) {
      for (int i = lane(); i < queued; i += 32)
        if (const Deferred deferred(queue[i]); deferred.lacks(place)) add(batch_of(deferred));
    };
    using Sum = std::remove_cvref_t<decltype(sum)>;
    if constexpr (Sum::levels_left > Sum::levels)
      if (are_last && !state.has_moved) {
        // An element a lane, and little code: it must be fetched while all blocks read data.
        std::int64_t below = 0;
#pragma unroll 1
        for (int i = lane(); i < queued * Source::size; i += 32) {
          const Deferred deferred(queue[i / Source::size]);
          if (!deferred.lacks(place)) continue;
          const auto reader = source.reader(deferred.tile(), warp() * 32 + deferred.lane_of());
          const auto one = reader.one(i % Source::size);
          state.spilled |= sum.add_one(one.x[0], one.second(0), below, spill);
        }
        if (below != 0) atomicAdd(&memory.below[place], static_cast<Word>(below));
        return;
      }
    if constexpr (HasBuckets<Sum>)
      if (has_buckets()) {
        using Rule = typename Sum::Rule;
        static_assert(queue_capacity / 32 * Source::size <= Rule::Buckets::most_terms);
        Buckets<Rule, Threads> buckets;
        add_all([&](const auto& batch) { buckets.add(batch, spill); });
        buckets.close(spill);
        state.spilled = true;
        return;
      }
    add_all([&](const auto& batch) { state.spilled |= sum.add_with_care(batch, spill); });
  });
  __syncwarp();
  return state;
}

/// Adds the tiles from `tile` to `end` as what does not fit.
template <class Source, class Sums, int Threads>
__device__ __noinline__ State<Sums> add_untried(State<Sums> state, const Source& source, int tile, int end,
                                                BlockMemory<Sums, Threads>& memory) {
  const int step = static_cast<int>(gridDim.x);
  const auto batch_of = [&](int of) { return source.reader(of, static_cast<int>(threadIdx.x)).batch(); };
  if constexpr (most_bucket_bytes<Sums> != 0)
    if (has_buckets()) {
      bool looked = false;
      for_each_sum(state.sums, [&](auto& sum, int place) {
        using Rule = typename std::remove_cvref_t<decltype(sum)>::Rule;
        constexpr int tiles = Rule::Buckets::most_terms / Source::size;
        const auto spill = memory.spill(sum, place);
#pragma unroll 1
        for (int first = tile; first < end; first += tiles * step) {
          Buckets<Rule, Threads> buckets;
          const int last = min(first + tiles * step, end);
#pragma unroll 1
          for (int i = first; i < last; i += step) {
            const auto batch = batch_of(i);
            buckets.add(batch, spill);
            if (!looked) state.look_at(batch);
          }
          buckets.close(spill);
        }
        looked = true;
      });
      state.spilled = true;
      return state;
    }
#pragma unroll 1
  for (; tile < end; tile += step) {
    const auto batch = batch_of(tile);
    for_each_sum(state.sums, [&](auto& sum, int place) {
      state.spilled |= sum.add_with_care(batch, memory.spill(sum, place));
    });
    state.look_at(batch);
  }
  return state;
}

}  // namespace foldline::cuda
