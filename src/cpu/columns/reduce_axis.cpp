// Reductions along an axis: vectors one by one or columns side by side, in which blocks, by which threads.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <ranges>
#include <vector>

#include "cpu/columns/column_results.hpp"
#include "cpu/columns/direct.hpp"
#include "cpu/columns/running_columns.hpp"
#include "cpu/simd/environment.hpp"

namespace foldline::cpu {

namespace {

// Contiguous vectors of this many bytes and more are reduced one by one; shorter ones side by side.
constexpr std::int64_t long_vector = 4096;
// Columns per block, if there are enough: each row then spans several pages of memory, and the block's counts
// do not fill the caches. (Zen 4, 100 x 1000000 doubles, of a plain read: 0.79 with 1024 columns, 0.81 with
// 2048, 0.78 with 4096.) Otherwise as many as make whole pages of a row.
constexpr std::int64_t most_block_columns = 2048;
constexpr std::int64_t fewest_block_columns = 1024;
// Neighbouring blocks that a thread takes at a time: the last rows of one block prefetch the first rows of
// the next. (Zen 4, two threads, 100 x 1000000 doubles: 0.83 instead of 0.80.)
constexpr std::int64_t most_neighbours = 8;
// With fewer columns than this most lanes would be idle.
constexpr std::int64_t few_columns = 8;
// Arrays of more bytes are taken not to be in the last-level cache.
constexpr std::int64_t longest_cached_array = std::int64_t{1} << 25;
// Bytes that a thread takes at a time if threads share rows.
constexpr std::int64_t part_bytes = std::int64_t{1} << 21;
// Parts are multiples of this number of rows, that of a tile of long rows.
constexpr std::int64_t rows_of_part = 8;

/// Reduces vectors one by one; threads share the vectors if there are enough, otherwise each vector.
void reduce_each(const AxisReduction& reduction, const AxisPlan& plan, RoundTo round) {
  const bool share_vectors = plan.each.threads == 1;
  // A thread takes up to 16 vectors at a time: fewer if there are few, which may be long.
  const int threads = share_vectors ? plan.all.threads : 1;
  const std::int64_t at_a_time = std::clamp<std::int64_t>(reduction.results / threads / 4, 1, 16);
  const auto enough =
      static_cast<int>(std::min<std::int64_t>(threads, (reduction.results - 1) / at_a_time + 1));
#pragma omp parallel for num_threads(enough) schedule(dynamic, at_a_time)
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    const Offset offset = offset_of(reduction.axes, i);
    Moments moments;
    reduce({.needs = needs_of(reduction.operation), .x = vector_at(reduction, offset.terms), .y = {}},
           plan.each, moments);
    round(reduction, moments, offset.out);
  }
}

/// How many rows are treated as one wider row.
std::int64_t joined_rows(const Columns& matrix) {
  const std::int64_t join = rows_to_join(matrix.columns);
  return matrix.is_dense() && matrix.rows >= 4 * join ? join : 1;
}

/// Reduces a matrix whose rows the threads share.
void share_rows(const AxisReduction& reduction, const Columns& matrix, const Plan& plan, RoundTo round,
                Offset at, std::int64_t out_stride) {
  const Needs needs = needs_of(reduction.operation);
  const std::int64_t tile = rows_of_part * rows_to_join(matrix.columns);
  const std::int64_t row_bytes = matrix.columns * size_of(matrix.type);
  const std::int64_t most = std::min(matrix.rows / plan.threads, part_bytes / row_bytes);
  const std::int64_t part = (most + tile) / tile * tile;
  const int threads = static_cast<int>(std::min<std::int64_t>(plan.threads, (matrix.rows - 1) / part + 1));
  RunningColumns all(needs, matrix.type, matrix.columns, plan.target);
  std::atomic<std::int64_t> next = 0;
  std::mutex merging;
#pragma omp parallel num_threads(threads)
  {
    RunningColumns own(needs, matrix.type, matrix.columns, plan.target);
    own.begin(matrix);
    for (std::int64_t first = 0; (first = next.fetch_add(part)) < matrix.rows;)
      own.add(matrix.rows_from(first, std::min(part, matrix.rows - first)));
    const std::lock_guard lock(merging);
    all.merge(own);
  }
  all.round(reduction, round, at.out, out_stride);
}

/// The array as matrices: rows along the axis, columns along one of the results' axes, one matrix for each
/// index of the other axes.
struct Matrices {
  std::vector<ResultAxis> others;
  ResultAxis columns;
  std::int64_t count;
};
Matrices matrices_of(const AxisReduction& reduction, std::int64_t enough) {
  // The axis of nearest neighbours if it is long enough, else the longest.
  auto columns = reduction.axes.end() - 1;
  if (columns->extent < enough) columns = std::ranges::max_element(reduction.axes, {}, &ResultAxis::extent);
  Matrices matrices = {reduction.axes, *columns, reduction.results / columns->extent};
  matrices.others.erase(matrices.others.begin() + (columns - reduction.axes.begin()));
  return matrices;
}

/// Columns of the narrowest blocks: some cache lines of each row or, where vectors are rows in memory, as
/// many as a kernel takes at a time.
std::int64_t narrowest_block(const DirectBlock& block, const Plan& plan) {
  if (!is_along_rows(block.x)) return 64;
  return extrema_kernel_for(plan.target, block) != nullptr ? 1 : 8;
}

/// Columns per block, such that each thread has several blocks if possible.
std::int64_t columns_of_block(const Matrices& matrices, const Plan& plan, std::int64_t narrowest) {
  const std::int64_t even = matrices.columns.extent * matrices.count / plan.threads / 4;
  if (plan.threads > 1 && even < fewest_block_columns)
    return std::max(even / narrowest, std::int64_t{1}) * narrowest;
  const std::int64_t columns = std::clamp(even, fewest_block_columns, most_block_columns);
  return columns / fewest_block_columns * fewest_block_columns;
}

/// A thread's reductions of blocks of columns: most results by a few doubles, the others by exact sums.
class BlockReducer {
 public:
  BlockReducer(const AxisReduction& reduction, const Plan& plan, RoundTo round, std::int64_t out_stride)
      : reduction_(reduction), plan_(plan), round_(round), out_stride_(out_stride) {
    plan_.threads = 1;
    plan_.part = std::max<std::int64_t>(reduction.terms.size(), 1);
  }
  static DirectBlock direct(const AxisReduction& reduction, const Columns& x, std::int64_t first,
                            std::int64_t out_stride) {
    return {x,
            reduction.operation,
            reduction.ddof,
            reduction.out + first * size_of(reduction.out_type),
            reduction.out_type,
            out_stride};
  }

  /// The result of the first column is `first` elements after that of the reduction.
  void reduce(const Columns& block, std::int64_t first) {
    const DirectBlock direct_block = direct(reduction_, block, first, out_stride_);
    if (const ReduceExtrema extrema = extrema_kernel_for(plan_.target, direct_block))
      return extrema(direct_block);
    if (const ReduceDirect kernel = direct_kernel_for(plan_.target, direct_block)) {
      std::memset(uncertain_, 0, static_cast<std::size_t>(block.columns));
      const std::int64_t left = kernel(direct_block, uncertain_);
      if (left == 0) return;
      if (are_done_alone(block, left)) return reduce_uncertain(block, first);
    }
    RoundingSink sink(reduction_, round_, first, out_stride_);
    if (!sums_)
      sums_ = block_sums_for(plan_.target, block.type)(needs_of(reduction_.operation), block.type,
                                                       most_block_columns);
    sums_->reduce(block, one_in_memory, sink);
  }

 private:
  void reduce_uncertain(const Columns& block, std::int64_t first) const {
    for (std::int64_t i = 0; i < block.columns; ++i) {
      if (uncertain_[i] == 0) continue;
      Moments moments;
      cpu::reduce({.needs = needs_of(reduction_.operation), .x = block.column(i), .y = {}}, plan_, moments);
      round_(reduction_, moments, first + i * out_stride_);
    }
  }

  const AxisReduction& reduction_;
  Plan plan_;
  const RoundTo round_;
  const std::int64_t out_stride_;
  std::unique_ptr<BlockSums> sums_;
  std::uint8_t uncertain_[most_block_columns];
};

/// Many columns: the threads share them, block by block.
void share_columns(const AxisReduction& reduction, const Matrices& matrices, const Columns& first,
                   const Plan& plan, RoundTo round) {
  const DirectBlock whole = BlockReducer::direct(reduction, first, 0, matrices.columns.out_stride);
  const std::int64_t block_columns = columns_of_block(matrices, plan, narrowest_block(whole, plan));
  const std::int64_t blocks = (first.columns - 1) / block_columns + 1;
  const std::int64_t at_a_time =
      std::clamp<std::int64_t>(matrices.count * blocks / plan.threads / 16, 1, most_neighbours);
#pragma omp parallel num_threads(plan.threads)
  {
    const ArithmeticEnvironment environment;
    BlockReducer reducer(reduction, plan, round, matrices.columns.out_stride);
#pragma omp for schedule(dynamic, at_a_time)
    for (std::int64_t i = 0; i < matrices.count * blocks; ++i) {
      const Offset offset = offset_of(matrices.others, i / blocks);
      const std::int64_t column = i % blocks * block_columns;
      Columns block = first;
      block.data += (offset.terms + column * first.column_stride) * size_of(first.type);
      block.columns = std::min(block_columns, first.columns - column);
      reducer.reduce(block, offset.out + column * matrices.columns.out_stride);
    }
  }
}

}  // namespace

void reduce_axis(const AxisReduction& reduction, const AxisPlan& axis_plan, RoundTo round) {
  const VectorView& x = reduction.terms;
  if (x.size() == 0 || reduction.axes.empty()) return reduce_each(reduction, axis_plan, round);
  const Plan& plan = axis_plan.all;
  const auto columns_of = [&](const Matrices& matrices) {
    return Columns{static_cast<const std::byte*>(x.data()),
                   x.type(),
                   x.size(),
                   matrices.columns.extent,
                   x.stride(),
                   matrices.columns.stride,
                   reduction.results > longest_cached_array / size_of(x.type()) / x.size()};
  };
  const auto has_kernel = [&](const Matrices& matrices) {
    const DirectBlock block =
        BlockReducer::direct(reduction, columns_of(matrices), 0, matrices.columns.out_stride);
    const bool has_extrema = extrema_kernel_for(plan.target, block) != nullptr;
    // Whole rows by one thread are the same few or many.
    const bool are_enough =
        block.x.columns >= few_columns || (has_extrema && x.stride() == 1 && plan.threads == 1);
    return are_enough && plan.accuracy == Accuracy::exact &&
           (has_extrema || direct_kernel_for(plan.target, block) != nullptr);
  };
  // Whether each thread has a block, in which vectors are whole.
  const auto has_blocks = [&](const Matrices& matrices) {
    const DirectBlock block =
        BlockReducer::direct(reduction, columns_of(matrices), 0, matrices.columns.out_stride);
    return plan.threads == 1 ||
           matrices.columns.extent / narrowest_block(block, plan) * matrices.count >= plan.threads;
  };
  // These kernels take few neighbours, too.
  if (const Matrices narrow = matrices_of(reduction, few_columns);
      (x.size() <= most_direct_terms || (needs_of(reduction.operation).extrema && has_blocks(narrow))) &&
      has_kernel(narrow))
    return share_columns(reduction, narrow, columns_of(narrow), plan, round);
  const Matrices matrices = matrices_of(reduction, common_group);
  const Columns first = columns_of(matrices);
  const std::int64_t join = joined_rows(first);
  const std::int64_t blocks = matrices.count * ((first.columns - 1) / fewest_block_columns + 1);
  const bool threads_share_columns = join == 1 && (plan.threads <= blocks || first.rows < 2 * common_group);
  if (threads_share_columns && has_kernel(matrices))
    return share_columns(reduction, matrices, first, plan, round);
  const bool one_by_one = std::abs(x.stride()) == 1 && x.size() * size_of(x.type()) >= long_vector;
  if (one_by_one || first.columns * join < few_columns) return reduce_each(reduction, axis_plan, round);
  if (threads_share_columns) return share_columns(reduction, matrices, first, plan, round);
  for (std::int64_t i = 0; i < matrices.count; ++i) {
    const Offset offset = offset_of(matrices.others, i);
    Columns matrix = first;
    matrix.data += offset.terms * size_of(x.type());
    share_rows(reduction, matrix, plan, round, offset, matrices.columns.out_stride);
  }
}

}  // namespace foldline::cpu
