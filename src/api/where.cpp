// Reductions of the elements that a mask takes: validate once, put the axes in order, reduce.
#include "foldline/where.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "api/axis_result.hpp"
#include "api/dispatch.hpp"
#include "api/overlap.hpp"
#include "api/validate.hpp"
#include "contract/masks.hpp"
#include "foldline/plan.hpp"
#include "results/results.hpp"

namespace foldline {

namespace {

constexpr std::size_t most_axes = 64;

void check_types(const std::string& caller, Operation operation, ElementType where, ElementType result) {
  if (!makes_one_number(operation))
    refuse(caller, "only operations that make one vector one number take a mask");
  validate_result_type(operation, result);
  if (where != ElementType::boolean && where != ElementType::uint8)
    refuse(caller, "the mask is " + std::string(name_of(where)) + "; it must be bool or uint8");
}

/// Which axes are reduced.
std::array<bool, most_axes> checked_axes(const std::string& caller, const ArrayView& a,
                                         const AxisValues& axes) {
  if (a.shape().size() > most_axes)
    refuse(caller,
           "the array has " + std::to_string(a.axes()) + " axes; there may be " + std::to_string(most_axes));
  std::array<bool, most_axes> is_reduced{};
  for (const std::int64_t number : axes) {
    bool& is = is_reduced[checked_axis(caller, a, number)];
    if (is) refuse(caller, "axis " + std::to_string(number) + " is named twice");
    is = true;
  }
  return is_reduced;
}

/// The strides of the mask along the axes of the array.
AxisValues mask_strides(const std::string& caller, const ArrayView& a, const ArrayView& where) {
  const auto missing = static_cast<std::size_t>(std::max<std::int64_t>(a.axes() - where.axes(), 0));
  return AxisValues::generate(a.shape().size(), [&](std::size_t axis) -> std::int64_t {
    if (where.axes() > a.axes() || (axis >= missing && where.shape()[axis - missing] != 1 &&
                                    where.shape()[axis - missing] != a.shape()[axis]))
      refuse(caller, "a mask of shape " + text_of_shape(where) + " does not fit " + text_of_shape(a));
    return axis < missing || where.shape()[axis - missing] == 1 ? 0 : where.strides()[axis - missing];
  });
}

void check_shape(const std::string& caller, const ArrayView& a, const std::array<bool, most_axes>& is_reduced,
                 const MutableArrayView& results, const char* name) {
  std::size_t next = 0;
  bool fits = true;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (is_reduced[axis]) continue;
    fits = fits && next < results.shape().size() && results.shape()[next] == a.shape()[axis];
    ++next;
  }
  if (!fits || next != results.shape().size())
    refuse(caller, std::string(name) + " has the shape " + text_of_shape(results) +
                       ", which is not that of " + text_of_shape(a) + " without its reduced axes");
}

/// Refuses an output that would overwrite what is read or another output.
void require_disjoint(const std::string& caller, const ArrayView& output, const char* name,
                      const ArrayView& other, const char* name_of_other) {
  if (have_common_memory(output, other))
    refuse(caller, std::string(name) + " overlaps " + name_of_other + "; results need memory of their own");
}

/// Puts axes in the order of memory and makes those one along which all arrays lie like along one.
void simplify(std::vector<MaskedAxis>& axes) {
  std::erase_if(axes, [](const MaskedAxis& axis) { return axis.extent == 1; });
  std::ranges::sort(axes, [](const MaskedAxis& outer, const MaskedAxis& inner) {
    return std::pair(std::abs(outer.stride), std::abs(outer.out_stride)) >
           std::pair(std::abs(inner.stride), std::abs(inner.out_stride));
  });
  std::size_t merged = 0;
  for (const MaskedAxis inner : axes) {
    MaskedAxis* const outer = merged == 0 ? nullptr : &axes[merged - 1];
    if (outer != nullptr && outer->stride == inner.stride * inner.extent &&
        outer->mask_stride == inner.mask_stride * inner.extent &&
        outer->out_stride == inner.out_stride * inner.extent &&
        outer->count_stride == inner.count_stride * inner.extent)
      *outer = {outer->extent * inner.extent, inner.stride, inner.mask_stride, inner.out_stride,
                inner.count_stride};
    else
      axes[merged++] = inner;
  }
  axes.resize(merged);
}

void round_masked(const MaskedReduction& reduction, const Moments& moments, const MaskedOffset& at) {
  try {
    if (reduction.counts != nullptr)
      std::memcpy(reduction.counts + at.count * std::int64_t{sizeof moments.count}, &moments.count,
                  sizeof moments.count);
    if (moments.count == 0 && needs_of(reduction.operation).extrema) return;
    std::byte* const out = reduction.out + at.out * size_of(reduction.out_type);
    rounded_result(moments, reduction.operation, reduction.out_type, reduction.ddof, reduction.overflow)
        .visit([out](auto element) { std::memcpy(out, &element, sizeof element); });
  } catch (...) {
    reduction.failure->note(at.out);
  }
}

void reduce(MaskedReduction& reduction, const Context& context) {
  simplify(reduction.kept);
  simplify(reduction.reduced);
  reduction.results = 1;
  reduction.terms = 1;
  for (const MaskedAxis& axis : reduction.kept) reduction.results *= axis.extent;
  for (const MaskedAxis& axis : reduction.reduced) reduction.terms *= axis.extent;
  if (reduction.results == 0) return;
  Failure failure;
  reduction.failure = &failure;
  const std::int64_t size =
      std::max<std::int64_t>(reduction.results * std::max<std::int64_t>(reduction.terms, 1), 1);
  const Plan chosen = on_present_device(plan(reduction.operation, reduction.type, size, context));
  if (chosen.device.kind == Device::Kind::cuda)
    cuda::reduce_where(reduction, chosen, context.execution.stream, round_segment);
  else
    cpu::reduce_where(reduction, chosen, round_masked);
  if (failure.exception) std::rethrow_exception(failure.exception);
}

}  // namespace

std::int64_t reduce_where(Operation operation, const VectorView& x, const VectorView& where,
                          const MutableVectorView& result, const ReduceOptions& options,
                          const Context& context) {
  const std::string caller = "reduce_where: " + std::string(name_of(operation));
  validate_view(caller, x, "x");
  validate_view(caller, where, "where");
  validate_view(caller, result, "result");
  check_types(caller, operation, where.type(), result.type());
  if (result.size() != 1) refuse(caller, "the result is one element, not " + std::to_string(result.size()));
  if (where.size() != x.size())
    refuse(caller,
           "the mask has " + std::to_string(where.size()) + " elements for " + std::to_string(x.size()));
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  std::int64_t count = 0;
  MaskedReduction reduction = {.operation = operation,
                               .ddof = ddof,
                               .x = static_cast<const std::byte*>(x.data()),
                               .type = x.type(),
                               .mask = static_cast<const std::byte*>(where.data()),
                               .kept = {},
                               .reduced = {{x.size(), x.stride(), where.stride(), 0, 0}},
                               .results = 1,
                               .terms = x.size(),
                               .out = static_cast<std::byte*>(result.data()),
                               .out_type = result.type(),
                               .counts = reinterpret_cast<std::byte*>(&count),
                               .overflow = context.overflow,
                               .failure = nullptr};
  reduce(reduction, context);
  return count;
}

void reduce_axes_where(Operation operation, const ArrayView& a, const ArrayView& where,
                       const AxisValues& axes, const MutableArrayView& out,
                       const std::optional<MutableArrayView>& counts, const ReduceOptions& options,
                       const Context& context) {
  const std::string caller = "reduce_axes_where: " + std::string(name_of(operation));
  check_types(caller, operation, where.type(), out.type());
  const std::array<bool, most_axes> is_reduced = checked_axes(caller, a, axes);
  const AxisValues mask_along = mask_strides(caller, a, where);
  check_shape(caller, a, is_reduced, out, "the output");
  require_disjoint(caller, out, "the output", a, "the array");
  require_disjoint(caller, out, "the output", where, "the mask");
  if (counts) {
    check_shape(caller, a, is_reduced, *counts, "the array of counts");
    if (counts->type() != ElementType::int64)
      refuse(caller, "counts are int64, not " + std::string(name_of(counts->type())));
    require_disjoint(caller, *counts, "the array of counts", a, "the array");
    require_disjoint(caller, *counts, "the array of counts", where, "the mask");
    require_disjoint(caller, *counts, "the array of counts", out, "the output");
  }
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  MaskedReduction reduction = {.operation = operation,
                               .ddof = ddof,
                               .x = static_cast<const std::byte*>(a.data()),
                               .type = a.type(),
                               .mask = static_cast<const std::byte*>(where.data()),
                               .kept = {},
                               .reduced = {},
                               .results = 0,
                               .terms = 0,
                               .out = static_cast<std::byte*>(out.data()),
                               .out_type = out.type(),
                               .counts = counts ? static_cast<std::byte*>(counts->data()) : nullptr,
                               .overflow = context.overflow,
                               .failure = nullptr};
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    const std::int64_t extent = a.shape()[axis], stride = a.strides()[axis];
    if (is_reduced[axis]) {
      reduction.reduced.push_back({extent, stride, mask_along[axis], 0, 0});
      continue;
    }
    reduction.kept.push_back(
        {extent, stride, mask_along[axis], out.strides()[next], counts ? counts->strides()[next] : 0});
    ++next;
  }
  reduce(reduction, context);
}

}  // namespace foldline
