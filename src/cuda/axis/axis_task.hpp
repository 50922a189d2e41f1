// A reduction along an axis, as a kernel gets it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "contract/backend.hpp"
#include "cuda/runtime/properties.hpp"
#include "results/whole_results.hpp"

namespace foldline::cuda {

inline constexpr int axis_threads = 256;
/// Axes of results that a launch takes.
inline constexpr int most_axes = 8;
/// Elements of a vector that a launch takes: up to four terms each, of which each adds less than 2^32 to a
/// limb.
inline constexpr std::int64_t longest_vector = std::int64_t{1} << 28;
/// Results of which each may be shared by several blocks: they have totals of 1.7 KB in global memory.
inline constexpr std::int64_t most_shared_results = 8192;

// Sums of the columns of a matrix whose rows are contiguous; see columns_kernel.cuh.
/// Blocks that share a column, at most.
inline constexpr int max_column_slices = 512;
/// Words that they add to, for each column of each shard.
inline constexpr int column_words = 4;
inline constexpr int most_column_shards = 4;
/// Columns of a block, and of a wide one, of which two need so much of a multiprocessor's shared memory.
inline constexpr int most_columns = 32, most_columns_if_wide = 64;
inline constexpr int shared_bytes_for_wide = 200 << 10;
/// Rows that a thread reads at a time, of many and otherwise.
inline constexpr int many_column_loads = 8, column_loads = 4;
/// How it reads them. Where the shared memory of a multiprocessor is too small for four times ahead, it is
/// two times; and where it is too small for that, as otherwise.
enum class ColumnRead : unsigned char { otherwise, many_rows, two_ahead, four_ahead };

/// What blocks that share a vector leave of it; zero before and after a launch.
struct AxisTotals;
extern const std::size_t axis_totals_bytes;

/// All strides are in bytes.
struct AxisTask {
  const std::byte* x;   // the first element of the first vector
  std::int64_t stride;  // of the elements of a vector
  int length;           // of a vector
  ElementType type;
  bool aligned;  // whether all elements are at multiples of their size
  int axis_count;
  ResultAxis axes[most_axes];
  std::int64_t results;

  // A block has 2^log_vectors neighbouring vectors. Neighbouring threads are on neighbouring vectors or on
  // one of them, as the elements lie in memory. Each vector is shared by `slices` blocks.
  int log_vectors;
  bool vectors_first;
  int slices;
  AxisTotals* totals;  // for each result, if there is more than one slice
  unsigned* tickets;   // for each group of vectors: the blocks that are done; zero before and after

  // Sums of columns: a block has `quads` neighbouring quads of a row, of which there are `all_quads`; none if
  // the task is no such sum. Each is shared by `slices` blocks.
  int quads;
  std::int64_t all_quads;
  bool stays;  // in the L2 cache, what is read
  ColumnRead read;
  // For each result column_words, zero before and after; and that `shards` times, so that not all blocks
  // stand in line for the same.
  unsigned long long* counts;
  int shards;
  bool waits;  // whether the last of the slices waits for the others, if all run at a time

  Operation operation;
  std::int64_t ddof;
  std::byte* out;
  ElementType out_type;
  int out_bytes;
  bool whole;  // whether that is an integer
  bool wrap;
  FloatFormat format;
  IntegerFormat integer_format;
  unsigned long long* failure;  // the largest ~index of a result that its integer type cannot hold
};

/// Elements of a vector that a thread takes at a time.
constexpr int axis_batch(ElementType type, bool aligned) {
  if (!aligned) return 4;
  return type == ElementType::float64 ? 8 : type == ElementType::float32 ? 16 : 4;
}

/// Vectors that the threads of a block can have: their limbs must fit in 48 KB of shared memory.
constexpr int most_vectors(Operation operation) {
  const Needs needs = needs_of(operation);
  return !needs.squares ? 64 : !needs.values ? 32 : 16;
}

/// The task for a device, without the memory that its blocks share.
AxisTask axis_task(const AxisReduction& reduction, const DeviceSize& device);

// Start the kernel.
void launch_axis_float64(const AxisTask& task, cudaStream_t stream);
void launch_axis_float32(const AxisTask& task, cudaStream_t stream);
/// Of a task with quads.
void launch_columns(const AxisTask& task, cudaStream_t stream);
/// Of any elements, aligned or not.
void launch_axis_any(const AxisTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
