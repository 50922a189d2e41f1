// Where segments begin and end.
#pragma once

#include "cuda/axis/segments_task.hpp"

namespace foldline::cuda {

__device__ __forceinline__ std::int64_t offset_at(const SegmentsTask& task, std::int64_t i) {
  const std::byte* const at = task.offsets + i * task.offset_stride;
  if (task.wide_offsets) return *reinterpret_cast<const std::int64_t*>(at);
  const std::int32_t offset = *reinterpret_cast<const std::int32_t*>(at);
  return task.signed_offsets ? offset : static_cast<std::int64_t>(static_cast<std::uint32_t>(offset));
}

struct SegmentRange {
  std::int64_t first = 0;
  int length = 0;
  bool is_there = false;
};
/// Segment i. One that cannot be done is not there, and reported unless it is another's.
__device__ __forceinline__ SegmentRange range_of(const SegmentsTask& task, std::int64_t i) {
  if (i >= task.count) return {};
  const std::int64_t begin = offset_at(task, i), end = offset_at(task, i + 1);
  const bool is_wrong = begin < 0 || end < begin || end > task.values;
  if (is_wrong || end - begin > longest_vector) {
    if (is_wrong || !task.leaves_longest) atomicMax(task.axis.failure, ~static_cast<unsigned long long>(i));
    return {};
  }
  return {begin, static_cast<int>(end - begin), true};
}

}  // namespace foldline::cuda
