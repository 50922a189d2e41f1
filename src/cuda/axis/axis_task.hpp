// The parameters of the kernels for reductions along an axis.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "contract/backend.hpp"
#include "cuda/axis/direct_task.hpp"
#include "cuda/runtime/properties.hpp"
#include "results/integer_conversion.hpp"

namespace foldline::cuda {

inline constexpr int axis_threads = 256;
/// The most axes of results that a launch takes.
inline constexpr int max_axes = 8;
/// The most results of a launch: as many blocks and entries of the list of results to be done again are
/// possible.
inline constexpr std::int64_t max_results_of_launch = std::int64_t{1} << 30;
/// The longest vectors of a launch, if they are not interleaved: longer ones are as fast one by one. If they
/// are, see longest_interleaved_vector.
inline constexpr std::int64_t longest_vector = std::int64_t{1} << 28;
/// The most results that may be split over several blocks: each has totals of 1.7 KB in global memory. And of
/// those that are done again.
inline constexpr std::int64_t max_split_results = 8192, max_retried_totals = 1024;

// Sums of the columns of a matrix with contiguous rows; see columns_kernel.cuh.
/// The most blocks that share a column.
inline constexpr int max_column_splits = 512;
/// Words of a GridSum, for each column and shard.
inline constexpr int column_words = 4;
inline constexpr int max_column_shards = 4;
/// The most columns of a block, normally and where rows are not whole cache lines; two blocks of the latter
/// need this much of a multiprocessor's shared memory.
inline constexpr int max_columns = 32, max_columns_if_wide = 64;
inline constexpr int shared_bytes_for_wide = 200 << 10;
/// Rows that a thread reads at a time, with and without many rows per block.
inline constexpr int many_column_loads = 8, column_loads = 4;
/// How a thread reads rows. `four_ahead` falls back to `two_ahead`, and that to `plain`, where shared memory
/// is too small.
enum class ColumnRead : unsigned char { plain, many_rows, two_ahead, four_ahead };

/// Totals of vectors that several blocks share; zero before and after a launch.
struct AxisTotals;
extern const std::size_t axis_totals_bytes;

/// All strides are in bytes.
struct AxisTask {
  const std::byte* x;   // the first element of the first vector
  std::int64_t stride;  // between the elements of a vector
  int length;           // of a vector
  ElementType type;
  bool aligned;  // all elements are at multiples of their size
  int axis_count;
  ResultAxis axes[max_axes];
  std::int64_t results;

  // A block has 2^log_vectors neighbouring vectors. Neighbouring threads are on neighbouring vectors
  // (`vectors_first`) or on the same one, whichever is closer in memory. Each vector is shared by `splits`
  // blocks.
  int log_vectors;
  bool vectors_first;
  int splits;
  AxisTotals* totals;  // for each result, if splits > 1
  unsigned* tickets;   // number of finished blocks of each group of vectors; zero before and after a launch

  // Sums of columns: a block has `vec16s` neighbouring 16-byte parts of each row, of `all_vec16s`; 0 in other
  // tasks. Each is shared by `splits` blocks.
  int vec16s;
  std::int64_t all_vec16s;
  bool keep_in_l2;  // L2 policy of the matrix
  ColumnRead read;
  // column_words for each result, in `shards` copies, so that fewer blocks add to the same word. Zero before
  // and after a launch.
  unsigned long long* counts;
  int shards;
  bool waits;  // the last split waits for the others, which are all resident

  Operation operation;
  std::int64_t ddof;
  std::byte* out;
  ElementType out_type;
  int out_bytes;
  bool is_integer;  // the result's type is an integer
  bool wrap;
  FloatFormat format;
  IntegerFormat integer_format;
  DirectPlan direct;
  unsigned long long* failure;  // maximum of ~index over results that their integer type cannot hold
};

/// Elements of a vector that a thread loads at a time.
constexpr int axis_batch(ElementType type, bool aligned) {
  if (!aligned) return 4;
  return type == ElementType::float64 ? 8 : type == ElementType::float32 ? 16 : 4;
}

/// The most vectors of a block: their limbs must fit in 48 KB of shared memory.
constexpr int max_vectors(Operation operation) {
  const Needs needs = needs_of(operation);
  return !needs.squares ? 64 : !needs.values ? 32 : 16;
}

/// The bits of the NaN that results are.
std::uint64_t nan_bits(ElementType type);
/// The first bits of unsigned elements in a word: see Recoding.
unsigned flip_of(ElementType type);
/// Plans sums in doubles, if they can do the task.
void plan_direct(AxisTask& task, const DeviceLimits& device);

/// The longest interleaved vectors of a launch. A limb takes 2^31 terms (exact/block_limbs.cuh). An element
/// adds at most two: itself and its share of a window that moves; the square of a 64-bit integer, which is
/// that of two doubles, up to eight; an integer of up to 16 bits none, since all are in one window. Threads
/// count elements by an int, with room for their last steps.
constexpr std::int64_t longest_interleaved_vector(ElementType type) {
  const std::int64_t bytes = is_floating(type) ? 4 : size_of(type);
  return bytes <= 2 ? (std::int64_t{1} << 31) - (1 << 24) : std::int64_t{1} << (bytes == 8 ? 28 : 30);
}
/// Whether launches take the vectors of a reduction; if not, each is reduced by itself.
bool takes_vectors(const AxisReduction& reduction);
/// What a task takes from a reduction as it is.
AxisTask unplanned_task(const AxisReduction& reduction);
/// The task for a device; the memory that its blocks share is not attached.
AxisTask axis_task(const AxisReduction& reduction, const DeviceLimits& device);

// Launch the kernels.
void launch_axis_float64(const AxisTask& task, cudaStream_t stream);
void launch_axis_float32(const AxisTask& task, cudaStream_t stream);
/// For tasks with vec16s != 0.
void launch_columns(const AxisTask& task, cudaStream_t stream);
/// For any elements, aligned or not.
void launch_axis_any(const AxisTask& task, cudaStream_t stream);

// For tasks with a direct plan; the general kernel must follow unless the plan is certain.
void launch_direct_float64(const AxisTask& task, cudaStream_t stream);
void launch_direct_float32(const AxisTask& task, cudaStream_t stream);
void launch_direct_16_bits(const AxisTask& task, cudaStream_t stream);
// Of signed and unsigned elements of the same size.
void launch_direct_int8(const AxisTask& task, cudaStream_t stream);
void launch_direct_int16(const AxisTask& task, cudaStream_t stream);
void launch_direct_int32(const AxisTask& task, cudaStream_t stream);
void launch_direct_int64(const AxisTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
