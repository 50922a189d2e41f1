#include "reduction_columns.hpp"

#include <algorithm>
#include <mutex>

#include "foldline/column_accumulator.hpp"
#include "reduction_blocks.hpp"

namespace foldline::python {

namespace {

constexpr std::int64_t fewest_columns = 8;

/// The kept axis along which elements are neighbours; the end if there is none.
auto axis_of_columns(const Reduction& reduction) {
  return std::ranges::find_if(reduction.kept, [&](const Axis& axis) {
    return axis.strides[Axis::first] == size_of(reduction.x.type) && axis.extent >= fewest_columns;
  });
}

/// Adds the rows at outer positions [first, last).
void add_rows(const Reduction& reduction, const std::vector<Axis>& outer, const std::byte* from,
              std::int64_t first, std::int64_t last, ColumnAccumulator& sums) {
  const Axis& rows = reduction.reduced.back();
  for (std::int64_t i = first; i < last; ++i)
    sums.add(MatrixView(from + offsets_of(outer, i)[Axis::first], reduction.x.type, rows.extent,
                        sums.columns(), Layout::row_major,
                        rows.strides[Axis::first] / size_of(reduction.x.type)));
}

}  // namespace

bool has_neighbouring_results(const Reduction& reduction) {
  if (reduction.has_pairs || !is_plain(reduction) || reduction.reduced.size() < 2) return false;
  const auto columns = axis_of_columns(reduction);
  const std::int64_t size = size_of(reduction.x.type);
  return columns != reduction.kept.end() &&
         reduction.reduced.back().strides[Axis::first] >= columns->extent * size;
}

void reduce_columns(const Reduction& reduction) {
  const Axis columns = *axis_of_columns(reduction);
  std::vector<Axis> others = reduction.kept;
  others.erase(others.begin() + (axis_of_columns(reduction) - reduction.kept.begin()));
  const std::vector<Axis> outer(reduction.reduced.begin(), reduction.reduced.end() - 1);
  const std::int64_t outer_positions = positions(outer);
  share_results(reduction, positions(others), [&](std::int64_t i, const Context& context) {
    const Offsets at = offsets_of(others, i);
    const std::byte* const from = reduction.x.data + at[Axis::first];
    const int threads = context.execution.threads == 1 ? 1 : threads_for(reduction);
    ColumnAccumulator all(reduction.operation, reduction.x.type, columns.extent);
    std::mutex merging;
    const std::int64_t part = std::max<std::int64_t>(1, (outer_positions - 1) / threads + 1);
    detail::run_parts((outer_positions + part - 1) / part, threads, [&](std::int64_t k) {
      ColumnAccumulator own(reduction.operation, reduction.x.type, columns.extent);
      add_rows(reduction, outer, from, k * part, std::min(outer_positions, (k + 1) * part), own);
      const std::lock_guard lock(merging);
      all.merge(std::move(own));
    });
    all.round(MutableArrayView(reduction.out + at[Axis::out], reduction.out_type, {columns.extent},
                               {columns.strides[Axis::out] / size_of(reduction.out_type)}),
              reduction.options.ddof, reduction.context.overflow);
  });
}

}  // namespace foldline::python
