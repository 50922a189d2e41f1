// The parameters of the kernels for reductions of segments.
#pragma once

#include "contract/segments.hpp"
#include "cuda/axis/axis_task.hpp"

namespace foldline::cuda {

/// Longer segments are blocks'; in elements.
inline constexpr std::int64_t longest_of_warp = std::int64_t{1} << 13;
/// The least bytes of a block's share.
inline constexpr std::int64_t least_share_bytes = std::int64_t{1} << 17;
/// Bytes of a segment that a thread takes; longer ones are the warp's.
inline constexpr std::int64_t bytes_of_lane = 256;

/// A share of a segment: the first of `shares` behind one another on the list counts the finished ones.
struct SegmentShare {
  std::int64_t segment;  // negative if there is none
  unsigned first, shares, finished;
};

/// Segments that are not done by the warps that come to them. The counts are zero before and after a launch.
struct alignas(16) SegmentLists {
  static constexpr int capacity = 1 << 15;
  unsigned count, next, finished_blocks;
  /// What a look at the offsets gives: the largest ~index of those that are wrong, and the longest segment.
  unsigned long long wrong, longest;
  SegmentShare share[capacity];
};

struct SegmentsTask {
  AxisTask axis;  // what is the same for all segments; `x` is the first value, `out_stride` of the only axis
  std::int64_t values, count;
  const std::byte* offsets;
  std::int64_t offset_stride;  // in bytes
  bool wide_offsets, signed_offsets;
  bool leaves_longest;  // segments longer than longest_vector are another's, else failures
  bool is_direct;       // sums in doubles, or of integers, go first
  std::int64_t fewest;  // elements of a result that is made of such sums
  int log_lanes, vectors_in_turn;
  std::int64_t share;  // elements of a share of a long segment, about
  int blocks;          // of the kernel for long segments
  SegmentLists* lists;
};

/// The task for a device, with memory for blocks that share segments, zero before and after a launch.
SegmentsTask segments_task(const SegmentReduction& reduction, const DeviceLimits& device, std::byte* memory);
std::size_t segment_memory_bytes();
/// The lists in that memory.
SegmentLists* segment_lists(std::byte* memory);

/// Queues the kernels.
void launch_segments(const SegmentsTask& task, cudaStream_t stream);
/// Looks at all offsets, for lists->wrong and longest.
void launch_check_of_offsets(const SegmentsTask& task, cudaStream_t stream);

// For tasks that are direct, and for all.
void launch_segments_float64(const SegmentsTask& task, cudaStream_t stream);
void launch_segments_float32(const SegmentsTask& task, cudaStream_t stream);
void launch_segments_16_bits(const SegmentsTask& task, cudaStream_t stream);
void launch_segments_integers(const SegmentsTask& task, cudaStream_t stream);
void launch_segments_exactly(const SegmentsTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
