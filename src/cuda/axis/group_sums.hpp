// Sums of the values of each key, in any order: every value is added to its key's words by atomic additions
// of integers, which do not round. docs/design/axis.md has the proof.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "arithmetic/floating_point.hpp"
#include "contract/segments.hpp"

namespace foldline::cuda {

/// What looks at keys, at values and at the sums found, in the device's memory, zero before.
struct GroupReport {
  // of the keys
  unsigned long long wrong;     // maximum of ~index of those that are not in the range
  unsigned long long unsorted;  // whether one is less than the one before
  unsigned long long hottest;   // how often the most frequent of `sampled_keys` is there
  // of the values
  unsigned long long largest;         // of 2 * bits of |x|, x as a double
  unsigned long long negative_zeros;  // whether there are any
  // of the sums
  unsigned long long failed;  // a value did not fit
  unsigned long long taken;   // sum of the counts
};

inline constexpr int sampled_keys = 2048;

/// Values and 32-bit keys in [0, count), contiguous and aligned, and where results go.
struct GroupSumsTask {
  const std::uint32_t* keys;
  const std::byte* values;
  ElementType type;
  std::int64_t size, count;
  Operation operation;  // sum, abs_sum or mean
  std::byte* out;
  std::int64_t out_stride;  // in bytes
  ElementType out_type;
  FloatFormat format;  // of out_type
  int out_bytes;
  bool is_integer;
  std::uint64_t nan;
  GroupReport* report;
  /// Of each key: the sum of the values' upper parts, times 2^count_bits, plus the number of values; and then
  /// those of the lower parts. Zero before.
  unsigned long long *upper, *lower;
  int count_bits;
  int unit;  // upper parts are multiples of 2^unit
};

/// Bits of a value that its upper part has, for a sum of 2^count_bits of them and their number; and of its
/// lower part.
__host__ __device__ constexpr int upper_bits(int count_bits) { return 63 - 2 * count_bits; }
__host__ __device__ constexpr int lower_bits(int count_bits) { return 63 - count_bits; }

/// The task but for keys and what looks say, if words may hold the reduction's sums and the cache the words;
/// `memory` has group_sums_bytes(count) bytes.
std::optional<GroupSumsTask> group_sums_task(const SegmentReduction& reduction, GroupReport* report,
                                             std::byte* memory, std::int64_t l2_bytes);
std::size_t group_sums_bytes(std::int64_t count);

/// Queues a look at some keys, and at the values.
void launch_looks(const GroupSumsTask& task, cudaStream_t stream);
/// Whether words of these values are worth a try; sets the task's unit.
bool suits_words(GroupSumsTask& task, const GroupReport& found);
/// Queues the sums and their results. These are right if no value failed and all were taken.
void launch_group_sums(const GroupSumsTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
