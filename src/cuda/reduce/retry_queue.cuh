// The queue of a warp's batches that did not fit the window.
//
// Adding such a batch at once would stall the lanes whose batches did fit, and take registers from the main
// loop. Queued batches are shared out among the lanes. Where many batches do not fit, the warp adds some
// tiles without trying the window: `spill_tiles`.
#pragma once

#include "cuda/device/sources.cuh"
#include "cuda/reduce/kernel_sums.cuh"

namespace foldline::cuda {

/// The extrema of elements, as order keys.
struct Extrema {
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  template <class Element>
  __device__ __forceinline__ void add(Element x) {
    const std::int64_t key = key_of(x);
    lowest = min(lowest, key);
    highest = max(highest, key);
  }
};

/// When a warp stops trying the window: after its queue was filled within `tiles` tiles. It then spills
/// `first` tiles, and twice as many each time this repeats, up to `most`. Spilling to digits costs several
/// times as much as trying, spilling to buckets hardly more; rereading queued batches that have left the
/// caches costs memory bandwidth.
struct RetryPolicy {
  int tiles, first, most;
};
template <class Sums>
__device__ __forceinline__ RetryPolicy retry_policy() {
  if constexpr (max_bucket_bytes<Sums> != 0)
    if (has_buckets()) return {16 * (queue_capacity / 32), 64, 1024};
  return {2 * (queue_capacity / 32), 2, 128};
}

/// True if all elements of a batch that are present are -0.
template <class BatchType>
__device__ __forceinline__ bool are_negative_zeros(const BatchType& batch, std::uint64_t present) {
  bool are = true;
#pragma unroll
  for (int i = 0; i < BatchType::size; ++i) are &= (present >> i & 1) == 0 || is_negative_zero(batch.x[i]);
  return are;
}

/// What a thread has summed so far.
template <class Sums>
struct State {
  Sums sums;
  Extrema extrema;
  bool only_negative_zeros =
      true;  // known from the first batch's keys and from partial tiles only, until the end
  bool spilled = false;
  bool has_moved = false;  // a window of the warp was moved
  int drains = 0;          // times the warp's queue was drained since its window last moved
  int spilled_tiles = 0;   // tiles that were last spilled without trying

  /// Updates what is not a sum.
  template <class BatchType>
  __device__ __forceinline__ void observe(const BatchType& batch) {
    if constexpr (Sums::extrema) {
#pragma unroll
      for (int i = 0; i < BatchType::size; ++i) extrema.add(batch.x[i]);
    }
  }
};

/// A batch in a warp's queue: its tile and lane, and the sums that lack it.
struct QueuedBatch {
  unsigned bits;
  __device__ QueuedBatch(int tile, unsigned what)
      : bits(static_cast<unsigned>(tile) << 8 | static_cast<unsigned>(lane()) << 3 | what) {}
  explicit __device__ QueuedBatch(unsigned stored) : bits(stored) {}
  __device__ int tile() const { return static_cast<int>(bits >> 8); }
  __device__ int lane_of() const { return static_cast<int>(bits >> 3 & 31); }
  __device__ bool lacks(int index) const { return (bits >> index & 1) != 0; }
};
static_assert(max_sums == 3);

/// Appends the lanes' batches for which `what` is not 0 to the warp's queue; returns the new size.
__device__ __forceinline__ int enqueue(unsigned* queue, int queued, int tile, unsigned what) {
  const unsigned lanes = __ballot_sync(all_lanes, what != 0);
  if (lanes == 0) return queued;
  const int before = __popc(lanes & ((1u << lane()) - 1));
  if (what != 0) queue[queued + before] = QueuedBatch(tile, what).bits;
  return queued + __popc(lanes);
}

/// Moves the warp's window of a sum if that halves the number of queued terms that do not fit; returns true
/// if so. The candidate is the window above the largest term of a median batch, so that a few outliers do not
/// decide.
template <class Sum, class BatchOf, class Spill>
__device__ bool move_window(Sum& sum, int index, const unsigned* queue, int queued, const BatchOf& batch_of,
                            const Spill& spill) {
  unsigned largest = 0;
  int left = 0;
  for (int i = lane(); i < queued; i += 32) {
    const QueuedBatch entry(queue[i]);
    if (!entry.lacks(index)) continue;
    const auto batch = batch_of(entry);
    largest = Sum::largest_key(batch);
    left += sum.count_misfits(batch);
  }
  Sum other;
  other.open_window_above(warp_median(largest));
  if (other.window() == sum.window()) return false;
  int misfits_of_other = 0;
  for (int i = lane(); i < queued; i += 32)
    if (const QueuedBatch entry(queue[i]); entry.lacks(index))
      misfits_of_other += other.count_misfits(batch_of(entry));
  if (2 * warp_sum(misfits_of_other) >= warp_sum(left)) return false;
  sum.flush(spill);
  sum = other;
  return true;
}

/// Adds the warp's queued batches, shared out evenly among the lanes. `may_move`: more batches may follow, so
/// a better window is worth looking for. Otherwise these are the last few, and the low level is tried before
/// the digits, because spilling a single term costs 4 to 7 us at the end of a launch on an H200.
///
/// The state is passed by value, so that the main loop keeps it in registers.
template <class Source, class Sums, int Threads>
__device__ __noinline__ State<Sums> drain_queue(State<Sums> state, const Source& source, int queued,
                                                bool may_move, BlockMemory<Sums, Threads>& memory) {
  __syncwarp();
  const unsigned* const queue = memory.queue[warp()];
  const auto batch_of = [&](const QueuedBatch& entry) {
    const auto reader = source.reader(entry.tile(), warp() * 32 + entry.lane_of());
    return reader.masked_batch();
  };
  const bool are_last = !may_move;
  if (may_move) {
    // Looking for a better window takes longer than adding the queue. After each failure, twice as many
    // drains pass before the next attempt.
    may_move = (state.drains & (state.drains + 1)) == 0;
    ++state.drains;
  }
  for_each_sum(state.sums, [&](auto& sum, int index) {
    const auto spill = memory.spill(sum, index);
    if (may_move && move_window(sum, index, queue, queued, batch_of, spill)) {
      state.drains = 0;
      state.spilled = state.has_moved = true;
    }
    const auto add_all = [&](auto add) {
      for (int i = lane(); i < queued; i += 32)
        if (const QueuedBatch entry(queue[i]); entry.lacks(index)) add(batch_of(entry));
    };
    using Sum = std::remove_cvref_t<decltype(sum)>;
    if constexpr (Sum::levels_published > Sum::levels)
      if (are_last && !state.has_moved) {
        // One element per lane and little code: it runs once, so it must be fetched from memory.
        std::int64_t below = 0;
#pragma unroll 1
        for (int i = lane(); i < queued * Source::size; i += 32) {
          const QueuedBatch entry(queue[i / Source::size]);
          if (!entry.lacks(index)) continue;
          const auto reader = source.reader(entry.tile(), warp() * 32 + entry.lane_of());
          const auto pair = reader.element(i % Source::size);
          state.spilled |= sum.add_one(pair.x[0], pair.second(0), below, spill);
        }
        if (below != 0) atomicAdd(&memory.below[index], static_cast<Word>(below));
        return;
      }
    if constexpr (HasBuckets<Sum>)
      if (has_buckets()) {
        using Term = typename Sum::Term;
        static_assert(queue_capacity / 32 * Source::size <= Term::Buckets::max_terms);
        Buckets<Term, Threads> buckets;
        add_all([&](const auto& batch) { buckets.add(batch, spill); });
        buckets.close(spill);
        state.spilled = true;
        return;
      }
    add_all([&](const auto& batch) { state.spilled |= sum.add_or_spill(batch, spill); });
  });
  __syncwarp();
  return state;
}

/// Adds the tiles from `tile` to `end` without trying the window.
template <class Source, class Sums, int Threads>
__device__ __noinline__ State<Sums> spill_tiles(State<Sums> state, const Source& source, int tile, int end,
                                                BlockMemory<Sums, Threads>& memory) {
  const int step = static_cast<int>(gridDim.x);
  const auto batch_of = [&](int of) { return source.reader(of, static_cast<int>(threadIdx.x)).batch(); };
  if constexpr (max_bucket_bytes<Sums> != 0)
    if (has_buckets()) {
      bool looked = false;
      for_each_sum(state.sums, [&](auto& sum, int index) {
        using Term = typename std::remove_cvref_t<decltype(sum)>::Term;
        constexpr int tiles = Term::Buckets::max_terms / Source::size;
        const auto spill = memory.spill(sum, index);
#pragma unroll 1
        for (int first = tile; first < end; first += tiles * step) {
          Buckets<Term, Threads> buckets;
          const int last = min(first + tiles * step, end);
#pragma unroll 1
          for (int i = first; i < last; i += step) {
            const auto batch = batch_of(i);
            buckets.add(batch, spill);
            if (!looked) state.observe(batch);
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
    for_each_sum(state.sums, [&](auto& sum, int index) {
      state.spilled |= sum.add_or_spill(batch, memory.spill(sum, index));
    });
    state.observe(batch);
  }
  return state;
}

}  // namespace foldline::cuda
