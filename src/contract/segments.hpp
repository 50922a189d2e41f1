// Reductions of segments and groups: what the operations and the backends agree on.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.hpp"
#include "foldline/async.hpp"
#include "foldline/detail/visit_type.hpp"

namespace foldline {

/// Integers of a vector as numbers; a uint64 of 2^63 and more is negative.
template <class T>
struct IndexReader {
  const std::byte* first;
  std::int64_t step;  // in bytes

  explicit IndexReader(const VectorView& of)
      : first(static_cast<const std::byte*>(of.data())), step(of.stride() * size_of(of.type())) {}
  std::int64_t operator[](std::int64_t i) const {
    if constexpr (std::is_same_v<T, bool>) return first[i * step] != std::byte{0} ? 1 : 0;
    T index;
    __builtin_memcpy(&index, first + i * step, sizeof index);
    return static_cast<std::int64_t>(index);
  }
};
/// Calls f with the IndexReader of a vector of integers.
template <class F>
decltype(auto) visit_indices(const VectorView& of, const F& f) {
  return detail::visit_integer(of.type(),
                               [&]<class T>(std::type_identity<T>) { return f(IndexReader<T>(of)); });
}

/// A valid reduction of segments: the views are, there is one offset more than results, and there is a
/// result. A backend that does not wait checks the offsets; others get checked ones.
struct SegmentReduction {
  Operation operation;
  std::int64_t ddof;
  VectorView values, offsets;
  MutableVectorView out;
  Overflow overflow;
  Failure* failure;  // set by a rounding that fails

  /// Those from element `first` on.
  VectorView segment(std::int64_t first, std::int64_t size) const {
    if (size == 0) return {nullptr, values.type(), 0};
    return values.part(first, size);
  }
};

/// Callback of the backends: rounds the sums of segment i and stores the result. Does not throw.
using RoundSegment = void (*)(const SegmentReduction& reduction, const Moments& moments, std::int64_t i);

/// How segments are reduced.
struct SegmentPlan {
  Plan all;        ///< of all values
  bool tries_few;  ///< whether results of few elements may come from reduce_few
};

/// Values in the order of their keys, those of key k from offset k to the next; without `values` they were.
struct Groups {
  std::unique_ptr<std::byte[]> values;
  std::vector<std::int64_t> offsets;
};

namespace cpu {
void reduce_segments(const SegmentReduction& reduction, const SegmentPlan& plan, RoundSegment round);
/// Groups values by keys in [0, count); `threads` share the work.
Groups group_by_key(const VectorView& keys, const VectorView& values, std::int64_t count, int threads);
/// The same for keys that do not decrease.
Groups group_sorted(const VectorView& keys, std::int64_t count);
}  // namespace cpu

namespace cuda {
/// Reduces the segments on the plan's device, after earlier work in the stream, and waits. Returns the index
/// of the first offset that is wrong, or -1; nothing is written then. `round` is called for results that the
/// device does not round.
std::int64_t reduce_segments(const SegmentReduction& reduction, const Plan& plan, void* stream,
                             RoundSegment round);
/// The same of groups of keys; returns the index of the first key that is not in the range, or -1.
std::int64_t reduce_by_key(const SegmentReduction& reduction, const VectorView& keys, const Plan& plan,
                           void* stream, RoundSegment round);
void reduce_segments_async(const SegmentReduction& reduction, const async::Queue& queue);
/// Bytes that reduce_by_key_async needs, of any keys.
std::int64_t group_memory_bytes(std::int64_t size, ElementType type, std::int64_t results, int device);
/// There is a result. Keys that are not in the range are in no group, and the status says which.
void reduce_by_key_async(SegmentReduction reduction, const VectorView& keys, std::byte* memory,
                         const async::Queue& queue);
}  // namespace cuda

}  // namespace foldline
