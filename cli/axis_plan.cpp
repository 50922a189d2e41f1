#include "axis_plan.hpp"

#include <algorithm>

namespace foldline::cli {
namespace {

constexpr std::int64_t all_bytes = std::int64_t{64} << 20;
// Block of a mapped file: large, so that few system calls are made. (1 GiB, 64 columns of doubles: 0.066 s;
// 0.081 s with 1 MiB.)
constexpr std::int64_t mapped_bytes = std::int64_t{8} << 20;
// Block of a pipe: it stays in the L2 cache between reading and adding.
constexpr std::int64_t read_bytes = std::int64_t{1} << 20;
// Block for a GPU: large, so that the copies run at full speed.
constexpr std::int64_t gpu_bytes = std::int64_t{16} << 20;
// Shorter parts of rows make the system's read-ahead useless.
constexpr std::int64_t fewest_columns = 4096;
// The accumulators of so many columns stay in the caches; with elements of very different magnitudes they
// take 30 MB.
constexpr std::int64_t most_accumulated = 16384;
// Rows of a narrow matrix that the library joins to a wider one are a divisor of this.
constexpr std::int64_t joined_rows = 32;

std::int64_t block_bytes(const AxisTask& task) {
  if (task.on_gpu) return gpu_bytes;
  const std::int64_t most = std::min(task.in_any_order ? mapped_bytes : read_bytes, all_bytes / task.threads);
  if (task.threads == 1) return most;
  const AxisLayout& layout = task.layout;
  const std::int64_t all = layout.outer * layout.length * layout.inner * task.element_bytes;
  return std::clamp<std::int64_t>(all / task.threads / 4, 65536, std::max<std::int64_t>(most, 65536));
}

}  // namespace

AxisBlocks plan_axis_blocks(const AxisTask& task) {
  const AxisLayout& layout = task.layout;
  const int adding = task.on_gpu ? 1 : task.threads;
  const std::int64_t bytes = block_bytes(task);
  const std::int64_t vector_bytes = std::max(layout.length * task.element_bytes, task.result_bytes);
  const std::int64_t vectors = bytes / vector_bytes;  // of a block
  if (layout.inner <= vectors)
    return {true, std::min(vectors / layout.inner, layout.outer), layout.inner, layout.length, adding};
  if (task.in_any_order) {
    if (vectors >= fewest_columns) return {true, 1, vectors, layout.length, adding};
    if (task.on_gpu) return {true, 1, std::min(layout.inner, fewest_columns), layout.length, 1};
  }
  const bool few_rows = layout.inner > most_accumulated && vector_bytes <= accumulator_bytes;
  if (task.on_gpu || (!task.in_any_order && few_rows)) return {true, 1, layout.inner, layout.length, 1};

  const std::int64_t columns = task.in_any_order ? std::min(layout.inner, most_accumulated) : layout.inner;
  std::int64_t rows = std::max<std::int64_t>(bytes / task.element_bytes / columns, 1);
  if (rows > joined_rows) rows -= rows % joined_rows;
  const std::int64_t together = std::clamp<std::int64_t>(all_bytes / accumulator_bytes / columns, 1, adding);
  return {false, 1, columns, rows, static_cast<int>(together)};
}

}  // namespace foldline::cli
