// Launches the kernels of sums in doubles for elements of a type.
#pragma once

#include "cuda/axis/few_integers_kernel.cuh"
#include "cuda/axis/few_rows_kernel.cuh"
#include "cuda/axis/interleaved_kernel.cuh"
#include "cuda/axis/pieces_kernel.cuh"
#include "cuda/axis/plain_columns_kernel.cuh"
#include "cuda/axis/rows_kernel.cuh"
#include "cuda/axis/short_rows_kernel.cuh"
#include "cuda/runtime/programmatic_launch.hpp"

namespace foldline::cuda {

template <class Sums, int Rows>
const void* few_rows_kernel_of() {
  if constexpr (takes_integers<Sums>)
    return reinterpret_cast<const void*>(&few_integers_kernel<Sums, Rows>);
  else
    return reinterpret_cast<const void*>(&few_rows_kernel<Sums, Rows>);
}
/// The kernel of columns of few rows.
template <class Sums>
const void* few_rows_kernel_of(int length) {
  constexpr int most = max_few_rows, some = most / 2, few = most / 4;
  if constexpr (takes_integers<Sums> || has_plain_sums<Sums>)
    if (length <= few) return few_rows_kernel_of<Sums, few>();
  return length <= some ? few_rows_kernel_of<Sums, some>() : few_rows_kernel_of<Sums, most>();
}
/// The kernel of whole columns, neighbours or not, that plain sums tell.
template <class Sums>
const void* plain_columns_kernel_of(DirectLayout layout) {
  if constexpr (has_plain_sums<Sums>)
    return layout == DirectLayout::columns ? reinterpret_cast<const void*>(&plain_columns_kernel<Sums>)
                                           : reinterpret_cast<const void*>(&plain_scattered_kernel<Sums>);
  return nullptr;
}

template <class Sums>
void launch_direct_sums(const AxisTask& task, cudaStream_t stream) {
  using T = typename Sums::Element;
  static_assert(sizeof(Sums) <= bytes_of_sums);
  const DirectPlan& plan = task.direct;
  const void* kernel = nullptr;
  LaunchConfig how{.blocks = {}, .threads = dim3(direct_threads), .stream = stream};
  std::int64_t blocks = 0;
  const auto blocks_of = [&](std::int64_t results) { return (task.results - 1) / results + 1; };
  if (plan.layout == DirectLayout::short_rows) {
    kernel = reinterpret_cast<const void*>(&short_rows_kernel<Sums>);
    const std::int64_t results = std::int64_t{32} * short_row_warps * plan.vectors_in_turn;
    blocks = blocks_of(results);
    how.threads = dim3(32 * short_row_warps);
    how.shared_bytes = static_cast<std::size_t>(results * task.length) * sizeof(T);
  } else if (plan.layout == DirectLayout::rows || plan.layout == DirectLayout::rows_apart) {
    kernel = plan.layout == DirectLayout::rows ? reinterpret_cast<const void*>(&rows_kernel<Sums, false>)
                                               : reinterpret_cast<const void*>(&rows_kernel<Sums, true>);
    blocks = plan.log_lanes > 5 ? task.results * plan.splits
                                : blocks_of(std::int64_t{direct_threads} / 32 * plan.unit);
  } else if (plan.layout == DirectLayout::pieces) {
    kernel = reinterpret_cast<const void*>(&pieces_kernel<Sums>);
    const PiecesPlan& pieces = plan.pieces;
    const ResultAxis& along = task.axes[pieces.axis];
    blocks = task.results / (along.extent * pieces.columns) * plan.groups;
    constexpr std::int64_t before = 16;  // where the first begins
    static_assert(bytes_of_pieces + before + 2 * direct_threads * bytes_of_sums <= 48 << 10,
                  "of both attempts");
    how.shared_bytes = static_cast<std::size_t>((pieces.of_block - 1) * along.stride + pieces.bytes + before);
  } else {
    if (plan.is_plain)
      kernel = plain_columns_kernel_of<Sums>(plan.layout);
    else if (plan.layout == DirectLayout::columns)
      kernel = reinterpret_cast<const void*>(&interleaved_kernel<Sums, InterleavedPosition>);
    else if (plan.layout == DirectLayout::scattered)
      kernel = reinterpret_cast<const void*>(&interleaved_kernel<Sums, ScatteredPosition>);
    else
      kernel = few_rows_kernel_of<Sums>(task.length);
    blocks = plan.groups * plan.splits;
  }
  constexpr auto doing = "starting a reduction along an axis";
  how.blocks = grid_of(blocks, doing);
  void* arguments[] = {const_cast<AxisTask*>(&task)};
  launch_programmatically(kernel, how, arguments, doing);
}

template <class T>
void launch_direct(const AxisTask& task, cudaStream_t stream) {
  with_direct_sums<T>(task.operation, [&]<class Sums>() { launch_direct_sums<Sums>(task, stream); });
}

}  // namespace foldline::cuda
