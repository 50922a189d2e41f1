// Where a kernel's elements come from: tiles, of which a thread takes a batch each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cuda/elements.cuh"

namespace foldline::cuda {

/// What a thread takes at a time: elements of one vector, or of two.
template <class Element, int Size, bool TwoVectors>
struct Batch {
  static constexpr int size = Size;
  static constexpr bool two_vectors = TwoVectors;
  Element x[Size], y[TwoVectors ? Size : 1];
  __device__ __forceinline__ Element second(int i) const { return TwoVectors ? y[TwoVectors ? i : 0] : x[i]; }
};

/// A batch of any tile.
template <class Reader>
__device__ __forceinline__ auto read_one_by_one(const Reader& reader) {
  typename Reader::Taken taken;
#pragma unroll
  for (int i = 0; i < Reader::size; ++i) {
    taken.x[i] = reader.x(i);
    if constexpr (Reader::Taken::two_vectors) taken.y[i] = reader.second(i);
  }
  return taken;
}

/// Contiguous vectors, aligned alike to 16 bytes from element `head` on. A tile is `Loads` loads of 16 bytes
/// for each thread, of either vector; what is left behind the last full one, and the elements before and
/// behind what is aligned, an element a thread, are two more.
/// Numbers of elements are int: they are those of one launch, and registers are scarce.
template <class T, int Loads, bool TwoVectors, int Threads>
struct Contiguous {
  static constexpr int width = 16 / sizeof(T), size = Loads * width;
  using Element = T;
  using Taken = Batch<T, size, TwoVectors>;
  const T *first_x, *first_y;
  int count;
  int quads;  // of 16 bytes, from element `head` on
  int head;
  int full_tiles, tiles;

  __host__ Contiguous(const T* x, const T* y, int elements, int unaligned)
      : first_x(x), first_y(y), count(elements), quads((elements - unaligned) / width), head(unaligned) {
    full_tiles = quads / (Threads * Loads);
    tiles = full_tiles + (quads % (Threads * Loads) != 0) + (quads * width < count);
  }

  /// Reads a thread's batch, whole or element by element; whatever is not there is neutral.
  struct Reader {
    static constexpr int size = Contiguous::size;
    using Taken = Contiguous::Taken;
    const Contiguous& source;
    int tile, thread;

    /// Of a full tile.
    __device__ __forceinline__ Taken batch() const {
      Taken taken;
      read(source.first_x, taken.x);
      if constexpr (TwoVectors) read(source.first_y, taken.y);
      return taken;
    }
    __device__ T x(int i) const { return at(source.first_x, i); }
    __device__ T second(int i) const { return TwoVectors ? at(source.first_y, i) : x(i); }
    __device__ bool is_present(int i) const { return place(i) < source.count; }

   private:
    __device__ __forceinline__ void read(const T* vector, T* target) const {
      const auto* const from =
          reinterpret_cast<const uint4*>(vector + source.head) + tile * (Threads * Loads) + thread;
      uint4 loaded[Loads];
#pragma unroll
      for (int u = 0; u < Loads; ++u) loaded[u] = __ldcs(from + u * Threads);
#pragma unroll
      for (int u = 0; u < Loads; ++u) std::memcpy(target + u * width, &loaded[u], sizeof(uint4));
    }
    /// Where element i is, or `count`.
    __device__ int place(int i) const {
      const int aligned = source.quads * width;
      if (tile == source.tiles - 1 && aligned < source.count) {  // what is not
        if (i != 0) return source.count;
        return min(thread < source.head ? thread : aligned + thread, source.count);
      }
      const int quad = (tile * Loads + i / width) * Threads + thread;
      return quad < source.quads ? source.head + quad * width + i % width : source.count;
    }
    __device__ T at(const T* vector, int i) const {
      const int element = place(i);
      return element < source.count ? vector[element] : neutral<T>();
    }
  };
  __device__ __forceinline__ Reader reader(int tile, int thread) const { return {*this, tile, thread}; }
};

/// Vectors of any type, with any stride, aligned or not.
template <bool TwoVectors, int Threads>
struct Strided {
  static constexpr int size = 4;
  using Element = AnyElement;
  using Taken = Batch<AnyElement, size, TwoVectors>;
  const std::byte *first_x, *first_y;
  std::int64_t stride_x, stride_y;  // in bytes
  int count;
  ElementType type;
  int element_bytes;
  int full_tiles, tiles;

  struct Reader {
    static constexpr int size = Strided::size;
    using Taken = Strided::Taken;
    const Strided& source;
    int tile, thread;

    __device__ __forceinline__ Taken batch() const { return read_one_by_one(*this); }
    __device__ AnyElement x(int i) const { return at(source.first_x, source.stride_x, i); }
    __device__ AnyElement second(int i) const {
      return TwoVectors ? at(source.first_y, source.stride_y, i) : x(i);
    }
    __device__ bool is_present(int i) const { return place(i) < source.count; }

   private:
    __device__ int place(int i) const { return (tile * size + i) * Threads + thread; }
    __device__ __forceinline__ AnyElement at(const std::byte* vector, std::int64_t stride, int i) const {
      return is_present(i) ? decode(bits_at(vector + place(i) * stride, source.element_bytes), source.type)
                           : neutral<AnyElement>();
    }
  };
  __device__ Reader reader(int tile, int thread) const { return {*this, tile, thread}; }
};

}  // namespace foldline::cuda
