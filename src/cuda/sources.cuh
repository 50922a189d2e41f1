// Where a kernel's elements come from: batches that a thread takes at a time.
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
  Element x[Size], y[TwoVectors ? Size : 1];
  unsigned present;  // bit i: x[i] is an element and no filling
  __device__ __forceinline__ Element second(int i) const { return TwoVectors ? y[TwoVectors ? i : 0] : x[i]; }
};

/// Contiguous vectors, aligned alike to 16 bytes from element `head` on. A tile is `Loads` loads of 16 bytes
/// for each thread; the elements before and behind what is aligned are one more tile, an element a thread.
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
    full_tiles = (quads + Threads * Loads - 1) / (Threads * Loads);
    tiles = full_tiles + (quads * width < count);
  }

  __device__ __forceinline__ Taken take(int tile) const {
    Taken batch;
    batch.present = 0;
    if (tile < full_tiles) {
      const int first = tile * (Threads * Loads) + static_cast<int>(threadIdx.x);
      const auto load = [&](const T* vector, T* target) {
        const auto* const from = reinterpret_cast<const uint4*>(vector + head);
        uint4 loaded[Loads];
        const uint4 filling = filled();
#pragma unroll
        for (int u = 0; u < Loads; ++u)
          loaded[u] = first + u * Threads < quads ? __ldcs(from + first + u * Threads) : filling;
#pragma unroll
        for (int u = 0; u < Loads; ++u) {
          std::memcpy(target + u * width, &loaded[u], 16);
          if (first + u * Threads < quads) batch.present |= ((1u << width) - 1) << (u * width);
        }
      };
      load(first_x, batch.x);
      if constexpr (TwoVectors) load(first_y, batch.y);
    } else {
      take_unaligned(batch);
    }
    return batch;
  }

 private:
  /// An element before or behind what is aligned, if there is one for this thread.
  __device__ __forceinline__ void take_unaligned(Taken& batch) const {
#pragma unroll
    for (int i = 0; i < size; ++i) {
      batch.x[i] = neutral<T>();
      if constexpr (TwoVectors) batch.y[i] = neutral<T>();
    }
    const int thread = static_cast<int>(threadIdx.x);
    const int place = thread < head ? thread : quads * width + thread;
    if (place >= count) return;
    batch.x[0] = first_x[place];
    if constexpr (TwoVectors) batch.y[0] = first_y[place];
    batch.present = 1;
  }
  static __device__ __forceinline__ uint4 filled() {
    T elements[width];
#pragma unroll
    for (T& element : elements) element = neutral<T>();
    uint4 quad;
    std::memcpy(&quad, elements, sizeof quad);
    return quad;
  }
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
  int tiles;

  __device__ __forceinline__ Taken take(int tile) const {
    Taken batch;
    batch.present = 0;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const int place = (tile * size + i) * Threads + static_cast<int>(threadIdx.x);
      batch.x[i] = at(first_x, stride_x, place);
      if constexpr (TwoVectors) batch.y[i] = at(first_y, stride_y, place);
      batch.present |= static_cast<unsigned>(place < count) << i;
    }
    return batch;
  }

 private:
  __device__ __forceinline__ AnyElement at(const std::byte* vector, std::int64_t stride, int place) const {
    return place < count ? decode(bits_at(vector + place * stride, element_bytes), type)
                         : neutral<AnyElement>();
  }
};

}  // namespace foldline::cuda
