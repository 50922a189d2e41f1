#include "reduction.hpp"

#include <algorithm>
#include <cstdlib>

#include "foldline/axes.hpp"
#include "foldline/operations.hpp"
#include "reduction_blocks.hpp"
#include "reduction_columns.hpp"
#include "reduction_masked.hpp"

namespace foldline::python {

namespace {

/// Puts axes that are reduced in the order of memory, and merges them where all arrays lie like along one.
void simplify(std::vector<Axis>& axes) {
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  std::ranges::stable_sort(axes, [](const Axis& a, const Axis& b) {
    return std::abs(a.strides[Axis::first]) > std::abs(b.strides[Axis::first]);
  });
  std::vector<Axis> merged;
  for (const Axis& inner : axes) {
    const auto continues = [&](const Axis& outer) {
      return std::ranges::equal(outer.strides, inner.strides,
                                [&](std::int64_t o, std::int64_t i) { return o == i * inner.extent; });
    };
    if (!merged.empty() && continues(merged.back()))
      merged.back() = {merged.back().extent * inner.extent, inner.strides};
    else
      merged.push_back(inner);
  }
  axes = std::move(merged);
}

/// Negative distances of a single array become positive ones, so that axes merge that lie against each other.
void turn_around(Reduction& reduction) {
  if (reduction.has_pairs || reduction.mask != nullptr) return;
  for (Axis& axis : reduction.reduced) {
    std::int64_t& stride = axis.strides[Axis::first];
    if (stride >= 0 || axis.extent == 0) continue;
    reduction.x.data += stride * (axis.extent - 1);
    stride = -stride;
  }
}

/// The results as an array.
MutableArrayView results_view(const Reduction& reduction) {
  const std::vector<Axis>& kept = reduction.kept;
  const std::int64_t size = size_of(reduction.out_type);
  return {
      reduction.out, reduction.out_type,
      AxisValues::generate(kept.size(), [&](std::size_t i) { return kept[i].extent; }),
      AxisValues::generate(kept.size(), [&](std::size_t i) { return kept[i].strides[Axis::out] / size; })};
}

/// A vector that begins at a place.
VectorView vector_along(const Operand& operand, std::size_t which, const Axis& axis,
                        std::int64_t offset = 0) {
  return {operand.data + offset, operand.type, axis.extent, axis.strides[which] / size_of(operand.type)};
}

/// Along one axis of an array that a view describes: the library's own.
void reduce_one_axis(const Reduction& reduction) {
  const Axis along = reduction.reduced.empty() ? Axis{} : reduction.reduced.front();
  const std::int64_t size = size_of(reduction.x.type);
  if (reduction.kept.empty()) {
    reduce(reduction.operation, vector_along(reduction.x, Axis::first, along),
           MutableVectorView(reduction.out, reduction.out_type, 1), reduction.options, reduction.context);
    return;
  }
  std::vector<Axis> all = reduction.kept;
  all.push_back(along);
  const auto of_axes = [&](auto value) {
    return AxisValues::generate(all.size(), [&](std::size_t i) { return value(all[i]); });
  };
  reduce_axis(
      reduction.operation,
      ArrayView(reduction.x.data, reduction.x.type, of_axes([](const Axis& axis) { return axis.extent; }),
                of_axes([&](const Axis& axis) { return axis.strides[Axis::first] / size; })),
      -1, results_view(reduction), reduction.options, reduction.context);
}

/// Pairs of vectors that views describe.
void reduce_vectors_of_pairs(const Reduction& reduction) {
  const Axis along = reduction.reduced.empty() ? Axis{} : reduction.reduced.front();
  const std::int64_t results = positions(reduction.kept);
  const auto one = [&](std::int64_t result, const Context& context) {
    const Offsets at = offsets_of(reduction.kept, result);
    reduce(reduction.operation, vector_along(reduction.x, Axis::first, along, at[Axis::first]),
           vector_along(reduction.y, Axis::second, along, at[Axis::second]),
           MutableVectorView(reduction.out + at[Axis::out], reduction.out_type, 1), context);
  };
  share_results(reduction, results, one);
}

}  // namespace

void put_in_order(Reduction& reduction) {
  turn_around(reduction);
  simplify(reduction.reduced);
}

void run(Reduction reduction) {
  if (positions(reduction.kept) == 0) return;
  put_in_order(reduction);
  const bool is_one_axis = is_plain(reduction) && reduction.reduced.size() <= 1;
  if (reduction.initial.data != nullptr)
    reduce_blocks(reduction);
  else if (is_one_axis && !reduction.has_pairs)
    reduce_one_axis(reduction);
  else if (is_one_axis)
    reduce_vectors_of_pairs(reduction);
  else if (is_masked_view(reduction))
    reduce_masked(reduction);
  else if (has_neighbours_without_nan(reduction))
    reduce_neighbours_without_nan(reduction);
  else if (has_neighbouring_results(reduction))
    reduce_columns(reduction);
  else
    reduce_blocks(reduction);
}

void add_to(Accumulator& accumulator, Reduction reduction) {
  put_in_order(reduction);
  if (!is_plain(reduction) || reduction.reduced.size() > 1) {
    add_blocks(reduction, {}, threads_for(reduction), accumulator);
    return;
  }
  const Axis along = reduction.reduced.empty() ? Axis{} : reduction.reduced.front();
  const VectorView x = vector_along(reduction.x, Axis::first, along);
  if (reduction.has_pairs)
    accumulator.add(x, vector_along(reduction.y, Axis::second, along), reduction.context);
  else
    accumulator.add(x, reduction.context);
}

}  // namespace foldline::python
