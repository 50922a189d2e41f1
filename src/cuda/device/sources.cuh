// Input of a reduction kernel, in tiles. A thread takes one batch of elements from each tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cuda/device/elements.cuh"

namespace foldline::cuda {

/// Elements of one vector, or pairs of elements of two.
template <class Element, int Size, bool TwoVectors>
struct Batch {
  static constexpr int size = Size;
  static constexpr bool two_vectors = TwoVectors;
  Element x[Size], y[TwoVectors ? Size : 1];
  __device__ __forceinline__ Element second(int i) const { return TwoVectors ? y[TwoVectors ? i : 0] : x[i]; }
};

/// Contiguous vectors with the same alignment. From element `head` on they are read in aligned vectors of 16
/// bytes ("vec16"). A full tile has `Loads` vec16 per thread and input vector. One more tile may be partly
/// full, and a last tile has the elements before `head` and after the last vec16, one per thread. Indices are
/// int because a launch takes few enough elements and registers are scarce.
template <class T, int Loads, bool TwoVectors, int Threads>
struct Contiguous {
  static constexpr int width = 16 / sizeof(T), size = Loads * width;
  static constexpr bool two_vectors = TwoVectors;
  static constexpr int vectors = TwoVectors ? 2 : 1, loads = Loads, threads = Threads;
  using Element = T;
  using BatchType = Batch<T, size, TwoVectors>;
  const T *first_x, *first_y;
  int count;
  int vec16s;  // number of vec16 from element `head` on
  int head;
  int full_tiles, tiles;

  __host__ Contiguous(const T* x, const T* y, int elements, int unaligned)
      : first_x(x), first_y(y), count(elements), vec16s((elements - unaligned) / width), head(unaligned) {
    full_tiles = vec16s / (Threads * Loads);
    tiles = full_tiles + (vec16s % (Threads * Loads) != 0) + (vec16s * width < count);
  }

  __device__ __forceinline__ const uint4* first_vec16(int vector) const {
    return reinterpret_cast<const uint4*>((vector == 0 ? first_x : first_y) + head);
  }
  /// The index of the vec16 that a thread loads.
  static __device__ __forceinline__ int index(int tile, int load, int thread) {
    return (tile * Loads + load) * Threads + thread;
  }

  /// Reads one thread's batches.
  struct Reader {
    static constexpr int size = Contiguous::size;
    using BatchType = Contiguous::BatchType;
    const Contiguous& source;
    int tile, thread;

    /// The batch of a full tile.
    __device__ __forceinline__ BatchType batch() const {
      BatchType taken;
      read(source.first_x, taken.x, [](int) { return true; });
      if constexpr (TwoVectors) read(source.first_y, taken.y, [](int) { return true; });
      return taken;
    }
    /// The batch of any tile. Missing elements are neutral.
    __device__ __forceinline__ BatchType masked_batch() const {
      BatchType taken;
      read_any(source.first_x, taken.x);
      if constexpr (TwoVectors) read_any(source.first_y, taken.y);
      return taken;
    }
    /// Element i of the batch of any tile.
    __device__ __forceinline__ Batch<T, 1, TwoVectors> element(int i) const {
      const int at = is_end_tile() ? i == 0 ? end_index() : source.count
                                   : source.head + vec16(i / width) * width + i % width;
      const bool is_there = at < (is_end_tile() ? source.count : source.head + source.vec16s * width);
      Batch<T, 1, TwoVectors> taken;
      taken.x[0] = is_there ? source.first_x[at] : neutral<T>();
      if constexpr (TwoVectors) taken.y[0] = is_there ? source.first_y[at] : neutral<T>();
      return taken;
    }
    /// Prefetches the batch of a full tile to the L2 cache.
    __device__ __forceinline__ void prefetch() const {
      prefetch_from(source.first_x);
      if constexpr (TwoVectors) prefetch_from(source.first_y);
    }
    /// Bit i is set if element i of the batch exists.
    __device__ __forceinline__ std::uint64_t present() const {
      if (is_end_tile()) return end_index() < source.count ? 1 : 0;
      std::uint64_t bits = 0;
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if (vec16(u) < source.vec16s) bits |= ((std::uint64_t{1} << width) - 1) << (u * width);
      return bits;
    }

   private:
    __device__ __forceinline__ int vec16(int u) const { return index(tile, u, thread); }
    __device__ __forceinline__ void prefetch_from(const T* vector) const {
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(
            __cvta_generic_to_global(reinterpret_cast<const uint4*>(vector + source.head) + vec16(u))));
    }
    template <class IsThere>
    __device__ __forceinline__ void read(const T* vector, T* target, IsThere is_there) const {
      const auto* const vec16s = reinterpret_cast<const uint4*>(vector + source.head);
      uint4 loaded[Loads];
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        loaded[u] = is_there(vec16(u)) ? __ldcs(vec16s + vec16(u)) : neutral_vec16();
#pragma unroll
      for (int u = 0; u < Loads; ++u) std::memcpy(target + u * width, &loaded[u], sizeof(uint4));
    }
    __device__ __forceinline__ void read_any(const T* vector, T* target) const {
      if (is_end_tile()) {
#pragma unroll
        for (int i = 0; i < size; ++i) target[i] = neutral<T>();
        if (end_index() < source.count) target[0] = vector[end_index()];
      } else {
        read(vector, target, [&](int vec16) { return vec16 < source.vec16s; });
      }
    }
    static __device__ __forceinline__ uint4 neutral_vec16() {
      T elements[width];
#pragma unroll
      for (int i = 0; i < width; ++i) elements[i] = neutral<T>();
      uint4 vec16;
      std::memcpy(&vec16, elements, sizeof(uint4));
      return vec16;
    }

    /// True for the tile of the elements that are in no vec16.
    __device__ __forceinline__ bool is_end_tile() const {
      return tile == source.tiles - 1 && source.vec16s * width < source.count;
    }
    __device__ __forceinline__ int end_index() const {
      return thread < source.head ? thread : source.vec16s * width + thread;
    }
  };
  __device__ __forceinline__ Reader reader(int tile, int thread) const { return {*this, tile, thread}; }
};

}  // namespace foldline::cuda
