#include "reduction_masked.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ranges>
#include <vector>

#include "foldline/where.hpp"
#include "gather.hpp"
#include "reduction_blocks.hpp"

namespace foldline::python {

namespace {

constexpr std::int64_t most_marks = std::int64_t{1} << 20;  // of a mask, unless results would be too few
constexpr std::int64_t fewest_neighbours = 64;

/// The kept axis along which elements are nearest; the end if there is none.
auto axis_of_neighbours(const Reduction& reduction) {
  return std::ranges::min_element(reduction.kept, {}, [](const Axis& axis) {
    return axis.extent == 1 ? std::numeric_limits<std::int64_t>::max() : std::abs(axis.strides[Axis::first]);
  });
}

/// Some neighbouring results, beginning at a place.
void reduce_some(const Reduction& reduction, const Axis& neighbours, std::int64_t count, const Offsets& at,
                 const Context& context) {
  Reduction some = reduction;
  some.x.data += at[Axis::first];
  some.out += at[Axis::out];
  some.without_nan = false;
  some.context = context;
  const std::int64_t terms = positions(reduction.reduced);
  std::vector<std::byte> marks(static_cast<std::size_t>(terms * count));
  for (std::int64_t i = 0; i < terms; ++i) {
    const Offsets from = offsets_of(reduction.reduced, i);
    const std::byte* const mask =
        reduction.mask == nullptr ? nullptr : reduction.mask + at[Axis::mask] + from[Axis::mask];
    mark({some.x.data + from[Axis::first], some.x.type, false, neighbours.strides[Axis::first]}, count,
         {mask, neighbours.strides[Axis::mask], true}, marks.data() + i * count);
  }
  some.mask = marks.data();
  some.kept = {neighbours};
  some.kept.front().extent = count;
  some.kept.front().strides[Axis::mask] = 1;
  std::int64_t stride = count;
  for (Axis& axis : some.reduced | std::views::reverse) {
    axis.strides[Axis::mask] = stride;
    stride *= axis.extent;
  }
  reduce_masked(some);
}

}  // namespace

bool has_neighbours_without_nan(const Reduction& reduction) {
  if (!reduction.without_nan || reduction.has_pairs || reduction.reduced.empty() || !has_views(reduction))
    return false;
  const auto neighbours = axis_of_neighbours(reduction);
  return neighbours != reduction.kept.end() && neighbours->extent >= fewest_neighbours &&
         std::abs(neighbours->strides[Axis::first]) <
             std::abs(reduction.reduced.back().strides[Axis::first]) &&
         positions(reduction.reduced) <= 16 * most_marks / fewest_neighbours;
}

void reduce_neighbours_without_nan(const Reduction& reduction) {
  const auto found = axis_of_neighbours(reduction);
  const Axis neighbours = *found;
  std::vector<Axis> others = reduction.kept;
  others.erase(others.begin() + (found - reduction.kept.begin()));
  const std::int64_t terms = std::max<std::int64_t>(positions(reduction.reduced), 1);
  const std::int64_t width = std::min(std::max(most_marks / terms, fewest_neighbours), neighbours.extent);
  const std::int64_t parts = (neighbours.extent - 1) / width + 1;
  share_results(reduction, positions(others) * parts, [&](std::int64_t i, const Context& context) {
    const std::int64_t first = i % parts * width;
    Offsets at = offsets_of(others, i / parts);
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += first * neighbours.strides[k];
    reduce_some(reduction, neighbours, std::min(width, neighbours.extent - first), at, context);
  });
}

bool is_masked_view(const Reduction& reduction) {
  return reduction.mask != nullptr && !reduction.has_pairs && !reduction.without_nan && has_views(reduction);
}

void reduce_masked(const Reduction& reduction) {
  std::vector<Axis> all = reduction.kept;
  all.insert(all.end(), reduction.reduced.begin(), reduction.reduced.end());
  const auto extents = [](const std::vector<Axis>& axes) {
    return AxisValues::generate(axes.size(), [&](std::size_t i) { return axes[i].extent; });
  };
  const auto strides = [](const std::vector<Axis>& axes, std::size_t which, std::int64_t size) {
    return AxisValues::generate(axes.size(), [&](std::size_t i) { return axes[i].strides[which] / size; });
  };
  const AxisValues reduced = AxisValues::generate(reduction.reduced.size(), [&](std::size_t i) {
    return static_cast<std::int64_t>(reduction.kept.size() + i);
  });
  const AxisValues results = extents(reduction.kept);
  // Only extrema need to know whether there was anything.
  const bool is_extremum =
      reduction.operation == Operation::minimum || reduction.operation == Operation::maximum;
  std::vector<std::int64_t> counts(is_extremum ? static_cast<std::size_t>(positions(reduction.kept)) : 0);
  std::optional<MutableArrayView> taken;
  if (is_extremum) taken.emplace(counts.data(), ElementType::int64, results, row_major_strides(results));
  reduce_axes_where(
      reduction.operation,
      ArrayView(reduction.x.data, reduction.x.type, extents(all),
                strides(all, Axis::first, size_of(reduction.x.type))),
      ArrayView(reduction.mask, ElementType::boolean, extents(all), strides(all, Axis::mask, 1)), reduced,
      MutableArrayView(reduction.out, reduction.out_type, results,
                       strides(reduction.kept, Axis::out, size_of(reduction.out_type))),
      taken, reduction.options, reduction.context);
  for (const std::int64_t count : counts) require_taken(reduction, count);
}

}  // namespace foldline::python
