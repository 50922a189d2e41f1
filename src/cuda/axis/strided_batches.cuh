// Strided vector: each thread reads every `lanes`-th element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/axis/axis_task.hpp"
#include "cuda/device/any_element.cuh"
#include "cuda/device/block.cuh"
#include "cuda/device/sources.cuh"
#include "cuda/exact/thread_sum.cuh"

namespace foldline::cuda {

/// The position of a thread: its vector within the block, and its lane along the vector.
struct AxisPosition {
  int vector, lane, lanes;
  int nearest, end;  // lanes of a warp on the same vector differ by powers of two in [nearest, end)
  bool is_leader;    // the first of its warp on its vector

  __device__ AxisPosition(const AxisTask& task, int log_vectors) {
    const int thread = static_cast<int>(threadIdx.x), vectors = 1 << log_vectors;
    lanes = axis_threads >> log_vectors;
    vector = task.vectors_first ? thread & (vectors - 1) : thread / lanes;
    lane = task.vectors_first ? thread >> log_vectors : thread & (lanes - 1);
    nearest = task.vectors_first ? vectors : 1;
    end = task.vectors_first ? 32 : min(lanes, 32);
    is_leader = task.vectors_first ? (thread & 31) < vectors : (thread & (end - 1)) == 0;
  }
  /// Reduces a value over the lanes of a warp that are on the same vector.
  template <class T, class F>
  __device__ T combined(T value, F f) const {
    for (int distance = nearest; distance < end; distance *= 2)
      value = f(value, __shfl_xor_sync(all_lanes, value, distance));
    return value;
  }
};

/// The offset in bytes of a result, or of its first element, from the first one. (There are at most 2^30.)
__device__ inline std::int64_t offset_of(const AxisTask& task, std::int64_t index, bool of_result) {
  if (task.axis_count == 1) return index * (of_result ? task.axes[0].out_stride : task.axes[0].stride);
  std::int64_t offset = 0;
  auto before = static_cast<unsigned>(index);
#pragma unroll 1
  for (int i = task.axis_count - 1; i > 0; --i) {
    const ResultAxis& axis = task.axes[i];
    const unsigned all = before, extent = static_cast<unsigned>(axis.extent);
    before = all / extent;
    offset += static_cast<std::int64_t>(all - before * extent) * (of_result ? axis.out_stride : axis.stride);
  }
  return offset +
         static_cast<std::int64_t>(before) * (of_result ? task.axes[0].out_stride : task.axes[0].stride);
}

template <class Element>
struct ElementAt {
  __device__ explicit ElementAt(ElementType) {}
  __device__ __forceinline__ Element operator()(const std::byte* address) const {
    return __ldcs(reinterpret_cast<const Element*>(address));
  }
};
template <>
struct ElementAt<AnyElement> {
  ElementType type;
  int bytes;
  __device__ explicit ElementAt(ElementType of_elements) : type(of_elements) {
    switch (type) {
      case ElementType::float64:
      case ElementType::int64:
      case ElementType::uint64:
        bytes = 8;
        break;
      case ElementType::float32:
      case ElementType::int32:
      case ElementType::uint32:
        bytes = 4;
        break;
      case ElementType::int8:
      case ElementType::uint8:
      case ElementType::boolean:
        bytes = 1;
        break;
      default:
        bytes = 2;
    }
  }
  __device__ __forceinline__ AnyElement operator()(const std::byte* address) const {
    return decode(bits_at(address, bytes), type);
  }
};

/// A batch, some of whose elements may be missing.
template <class Element, int Size>
struct AxisBatch : Batch<Element, Size, false> {
  unsigned present;  // bit i is set if x[i] is an element, not padding
};

/// Reads batches of one thread's elements.
template <class Element, int Size>
struct StridedBatches {
  static constexpr int size = Size;
  const std::byte* x;
  std::int64_t stride;  // in bytes
  int length, lanes;
  ElementAt<Element> element_at;

  /// The elements `first`, `first + lanes` and so on.
  __device__ __forceinline__ AxisBatch<Element, Size> take(int first) const {
    AxisBatch<Element, Size> batch;
    batch.present = 0;
    const std::byte* address = x + first * stride;
    const std::int64_t step = lanes * stride;
#pragma unroll
    for (int i = 0; i < Size; ++i, address += step) {
      const bool is_there = first + i * lanes < length;
      batch.x[i] = is_there ? element_at(address) : neutral<Element>();
      batch.present |= static_cast<unsigned>(is_there) << i;
    }
    return batch;
  }
};

__device__ __forceinline__ double leading(double x) { return x; }
__device__ __forceinline__ double leading(const DoublePair& x) { return x.high; }

/// The same, with infinities and NaN replaced by neutral elements.
template <class Rows>
struct FiniteBatches {
  static constexpr int size = Rows::size;
  const Rows& batches;
  __device__ auto take(int first) const {
    auto batch = batches.take(first);
    for (auto& x : batch.x)
      if (!is_finite(leading(widen(x)))) x = neutral<std::remove_reference_t<decltype(x)>>();
    return batch;
  }
};

/// Counts the infinities and NaN of a batch.
template <class Rows>
__device__ __noinline__ void count_specials(const Rows& batches, int first, Word* special) {
  const auto batch = batches.take(first);
#pragma unroll 1
  for (int i = 0; i < Rows::size; ++i) {
    const double x = leading(widen(batch.x[i]));
    if (!is_finite(x)) atomicAdd(special + (x != x ? 0 : x > 0 ? 1 : 2), Word{1});
  }
}

}  // namespace foldline::cuda
