// Runs of tiles that a block adds entirely to limbs (lane_limbs.cuh), because many of their terms fit no
// window.
//
// Limbs take 17 KB per warp. A block has room for those of four warps, in the memory of its digits (which are
// moved to the block's limbs first) and of its read-ahead buffers. So four of its warps work and the others
// wait; with two blocks per multiprocessor, two working warps per quarter are enough. On an H200, 2^28
// doubles over all exponents take 530 us (squares 650), where digits take 915 (1420) and a plain read 465.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cuda/device/async_copy.cuh"
#include "cuda/device/policy_reader.cuh"
#include "cuda/exact/lane_limbs.cuh"
#include "cuda/reduce/read_ahead.cuh"
#include "cuda/reduce/retry_queue.cuh"

namespace foldline::cuda {

inline constexpr int limb_warps = 4, limb_threads = 32 * limb_warps;

/// True for kernels with one sum, of contiguous doubles or their squares.
template <class Source, class Sums>
inline constexpr bool can_have_limbs = false;
template <int Loads, int Threads, class Sums>
inline constexpr bool can_have_limbs<Contiguous<double, Loads, false, Threads>, Sums> =
    Sums::count == 1 && !Sums::extrema && Sums::suits_limbs;

/// The shared memory of a block's limbs and of the elements read ahead for them.
template <class Sums, int Threads>
class LimbMemory {
  using Memory = BlockMemory<Sums, Threads>;
  static constexpr int words_of_warp = LaneLimbs<double_digits>::words_of_warp;
  static constexpr int bytes_of_warp = words_of_warp * static_cast<int>(sizeof(unsigned));
  static constexpr int among_digits = static_cast<int>(sizeof(Memory::digit)) / bytes_of_warp;
  static constexpr int vec16_offset = (limb_warps - among_digits) * bytes_of_warp;
  static constexpr int line_bytes = 128;

 public:
  /// vec16 that a thread loads at a time, and batches in flight
  static constexpr int loads = 4, batches_ahead = 2;
  using BatchType = Batch<double, 2 * loads, false>;
  /// of dynamic shared memory
  static constexpr int bytes =
      vec16_offset + batches_ahead * loads * limb_threads * static_cast<int>(sizeof(uint4)) + line_bytes;

  explicit __device__ __forceinline__ LimbMemory(Memory& memory)
      : digits_(reinterpret_cast<unsigned*>(memory.digit)) {}

  __device__ __forceinline__ unsigned* words_of(int warp) const {
    return warp < among_digits
               ? digits_ + warp * words_of_warp
               : reinterpret_cast<unsigned*>(dynamic_memory()) + (warp - among_digits) * words_of_warp;
  }
  /// Where copies of `vec16s` go: at the same offset within a 128-byte line (see read_ahead.cuh).
  static __device__ __forceinline__ uint4* slots_for(const uint4* vec16s) {
    return reinterpret_cast<uint4*>(dynamic_memory() + vec16_offset +
                                    reinterpret_cast<std::uintptr_t>(vec16s) % line_bytes);
  }

 private:
  unsigned* digits_;
};

/// The dynamic shared memory of a block that may use limbs.
template <class Source, class Sums>
inline constexpr int bytes_for_limbs = 0;
template <class Source, class Sums>
  requires can_have_limbs<Source, Sums>
inline constexpr int bytes_for_limbs<Source, Sums> = LimbMemory<Sums, Source::threads>::bytes;

/// True if the launch has memory for limbs.
template <class Source, class Sums>
__device__ __forceinline__ bool has_limbs() {
  return can_have_limbs<Source, Sums> && dynamic_memory_bytes() >= bytes_for_limbs<Source, Sums>;
}

/// A block switches to limbs if more than one in `misfit_divisor` of its threads' batches has a term that
/// fits no window, and tests again after `tiles_by_limbs` tiles. With one outlier among a hundred doubles,
/// 2^28 doubles take 530 us with limbs on an H200, 745 without.
inline constexpr int misfit_divisor = 32, tiles_by_limbs = 512;

/// True if too many of the batches, one per thread, do not fit; all threads call.
template <int Threads>
__device__ __forceinline__ bool too_many_misfits(bool fits) {
  return misfit_divisor * __syncthreads_count(!fits) > Threads;
}
template <int Threads, class Sums, class Batch>
__device__ __forceinline__ bool too_many_misfits(const Sums& sums, const Batch& batch) {
  bool fits = true;
  for_each_sum(sums, [&](const auto& sum, int) { fits = sum.count_misfits(batch) == 0; });
  return too_many_misfits<Threads>(fits);
}
/// Decides on the first batches, after the sum's window was placed above their largest term. A few outliers
/// must not decide: if most batches fit a window above the largest term of a median batch, that window is
/// used. `scratch` has one value per block. Inlined, because passing the sum by address would take it out of
/// registers (5 % slower).
template <int Threads, class Sum, class Batch>
__device__ __forceinline__ bool should_use_limbs(Sum& sum, const Batch& first, unsigned& scratch) {
  if (!too_many_misfits<Threads>(sum.are_large(first))) return false;
  const unsigned middle = warp_median(Sum::largest_key(first));
  if (threadIdx.x == 0) scratch = middle;
  __syncthreads();
  Sum other;
  other.open_window_above(scratch);
  if (too_many_misfits<Threads>(other.count_misfits(first) == 0)) return true;
  sum = other;
  return false;
}

/// Calls add(batch) for all elements of `tiles` tiles from `tile` on, with `limb_threads` threads.
template <class Source, class Memory, class Add>
__device__ __forceinline__ void read_for_limbs(const Source& source, int tile, int tiles, Add add) {
  constexpr int of_tile = Source::loads * Source::threads, of_batch = limb_threads * Memory::loads;
  static_assert(of_tile % of_batch == 0);
  const int step = static_cast<int>(gridDim.x), thread = static_cast<int>(threadIdx.x);
  const int batches = tiles * (of_tile / of_batch);
  const PolicyReader read{false};
  uint4* const first_slot = Memory::slots_for(source.first_vec16(0)) + thread;
  const uint4* vec16s = source.first_vec16(0) + source.index(tile, 0, thread);
  int requested = 0, part = 0;
  const auto request = [&](uint4* slot) {
    if (requested < batches) {
#pragma unroll
      for (int u = 0; u < Memory::loads; ++u)
        read.copy_to_shared(slot + u * limb_threads, vec16s + u * limb_threads);
      ++requested;
      vec16s += of_batch;
      part += of_batch;
      if (part == of_tile) {
        part = 0;
        vec16s += static_cast<std::int64_t>(step - 1) * of_tile;
      }
    }
    commit_group();
  };
#pragma unroll 1
  for (int i = 0; i < Memory::batches_ahead; ++i) request(first_slot + i * of_batch);
  uint4* slot = first_slot;
#pragma unroll 1
  for (int taken = 0; taken < batches; ++taken) {
    wait_for_groups<Memory::batches_ahead - 1>();
    typename Memory::BatchType batch;
#pragma unroll
    for (int u = 0; u < Memory::loads; ++u) {
      const uint4 vec16 = slot[u * limb_threads];
      std::memcpy(batch.x + 2 * u, &vec16, sizeof vec16);
    }
    request(slot);
    slot += of_batch;
    if (slot == first_slot + Memory::batches_ahead * of_batch) slot = first_slot;
    add(batch);
  }
}

/// Adds `tiles` tiles from `tile` on to limbs. All threads call; digits are zero before and after.
template <class Source, class Sums, int Threads>
__device__ __noinline__ State<Sums> add_by_limbs(State<Sums> state, const Source& source, int tile, int tiles,
                                                 BlockMemory<Sums, Threads>& memory) {
  using Memory = LimbMemory<Sums, Threads>;
  const Memory limb_memory(memory);
  wait_for_groups<0>();  // the read-ahead buffers are overwritten
  __syncthreads();
  for_each_sum(state.sums, [&](auto& sum, int index) {  // exactly one
    using Term = typename std::remove_cvref_t<decltype(sum)>::Term;
    using Limbs = LaneLimbs<Term::digits>;
    if (warp() < limb_warps) {
      const Limbs limbs(limb_memory.words_of(warp()));
      const auto specials = memory.spill(sum, index);
      read_for_limbs<Source, Memory>(source, tile, tiles, [&](typename Memory::BatchType batch) {
        constexpr int size = Memory::BatchType::size;
        state.observe(batch);
        bool are_finite = true;
#pragma unroll
        for (int i = 0; i < size; ++i) are_finite &= Term::is_finite(batch.x[i], batch.x[i]);
        if (!__all_sync(all_lanes, are_finite)) {
#pragma unroll
          for (int i = 0; i < size; ++i) {
            if (Term::is_finite(batch.x[i], batch.x[i])) continue;
            Term::template spill<false>(batch.x[i], batch.x[i], specials);
            batch.x[i] = 0;
          }
          __syncwarp();
        }
        // No branch between terms, so that the words of one term are loaded while another is computed.
        typename Limbs::Addition addition[size];
        bool has_carry = false;
#pragma unroll
        for (int i = 0; i < size; ++i) {
          addition[i].begin(limbs);
          Term::template spill<false>(batch.x[i], batch.x[i], addition[i]);
          has_carry |= addition[i].has_carry();
        }
        if (has_carry)
#pragma unroll
          for (int i = 0; i < size; ++i) addition[i].add_carry();
      });
    }
    __syncthreads();
#pragma unroll 1
    for (int i = warp(); i < Limbs::words; i += Threads / 32) {
      std::uint64_t own = 0;
#pragma unroll
      for (int k = 0; k < limb_warps; ++k) {
        unsigned& word = limb_memory.words_of(k)[i * 32 + lane()];
        own += word;
        word = 0;
      }
      Limbs::move(i, own, memory.limb[index]);
    }
  });
  state.spilled = true;
  __syncthreads();
  return state;
}

}  // namespace foldline::cuda
