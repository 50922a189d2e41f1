// Reductions along an axis: validate once, put the axes in order, reduce.
#include "foldline/axes.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "api/async_checks.hpp"
#include "api/axis_order.hpp"
#include "api/axis_result.hpp"
#include "api/dispatch.hpp"
#include "api/overlap.hpp"
#include "api/validate.hpp"
#include "contract/async_backend.hpp"
#include "foldline/async.hpp"
#include "foldline/error.hpp"
#include "foldline/plan.hpp"
#include "results/results.hpp"

namespace foldline {

namespace {

std::string prefix_of(Operation operation) { return "reduce_axis: " + std::string(name_of(operation)); }

[[noreturn]] void refuse_axis(Operation operation, const std::string& what) {
  throw InvalidArgument(prefix_of(operation) + ": " + what);
}

void check(Operation operation, const ArrayView& a, std::size_t axis, const MutableArrayView& out) {
  if (!makes_one_number(operation))
    refuse_axis(operation, "only operations that make one vector one number go along an axis");
  validate_result_type(operation, out.type());
  const auto along = a.shape().begin() + static_cast<std::ptrdiff_t>(axis);
  if (out.axes() != a.axes() - 1 || !std::equal(a.shape().begin(), along, out.shape().begin()) ||
      !std::equal(along + 1, a.shape().end(), out.shape().begin() + static_cast<std::ptrdiff_t>(axis)))
    refuse_axis(operation, "the results of " + text_of_shape(a) + " along axis " + std::to_string(axis) +
                               " do not have the output's shape, " + text_of_shape(out));
  if (needs_of(operation).extrema && a.shape()[axis] == 0 && out.size() > 0)
    refuse_axis(operation, "there is none along an axis of no elements");
  if (have_common_memory(a, out))
    refuse_axis(operation, "the output overlaps the array; results need memory of their own");
}

/// The axes of the results that have more than one element, merged; nearest neighbours are last.
std::vector<ResultAxis> result_axes(const ArrayView& a, std::size_t axis, const MutableArrayView& out) {
  std::vector<ResultAxis> axes;
  for (std::size_t i = 0; i < a.shape().size(); ++i)
    if (i != axis && a.shape()[i] != 1)
      axes.push_back({a.shape()[i], a.size() == 0 ? 0 : a.strides()[i], out.strides()[i < axis ? i : i - 1]});
  merge_axes(axes);
  return axes;
}

/// A validated reduction with at least one result.
AxisReduction axis_reduction(Operation operation, const ArrayView& a, std::size_t axis,
                             const MutableArrayView& out, std::int64_t ddof, Overflow overflow) {
  return {.operation = operation,
          .ddof = ddof,
          .terms = VectorView(a.data(), a.type(), a.shape()[axis], a.strides()[axis]),
          .axes = result_axes(a, axis, out),
          .results = out.size(),
          .out = out.at(0),
          .out_type = out.type(),
          .overflow = overflow,
          .failure = nullptr};
}

AxisPlan plan_axis(Operation operation, const ArrayView& a, std::size_t axis, std::int64_t results,
                   const Context& context) {
  const Plan all = on_present_device(plan(operation, a.type(), std::max(a.size(), results), context));
  if (all.device.kind != Device::Kind::cpu) return {all, all};
  const int threads = results >= all.threads ? 1 : all.threads;  // with enough vectors, each has one thread
  return {all, plan(operation, a.type(), a.shape()[axis],
                    {.accuracy = all.accuracy, .execution = {.threads = threads, .target = all.target}})};
}

}  // namespace

void round_axis_result(const AxisReduction& reduction, const Moments& moments, std::int64_t offset) {
  try {
    std::byte* out = reduction.out + offset * size_of(reduction.out_type);
    rounded_result(moments, reduction.operation, reduction.out_type, reduction.ddof, reduction.overflow)
        .visit([out](auto element) { std::memcpy(out, &element, sizeof element); });
  } catch (...) {
    reduction.failure->note(offset);
  }
}

void reduce_axis(Operation operation, const ArrayView& a, std::int64_t axis_number,
                 const MutableArrayView& out, const ReduceOptions& options, const Context& context) {
  const std::size_t axis = checked_axis(prefix_of(operation), a, axis_number);
  check(operation, a, axis, out);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  const AxisPlan plans = plan_axis(operation, a, axis, out.size(), context);
  if (out.size() == 0) return;
  Failure failure;
  AxisReduction reduction = axis_reduction(operation, a, axis, out, ddof, context.overflow);
  reduction.failure = &failure;
  reduce_axis(reduction, plans, context, round_axis_result);
  if (failure.exception) std::rethrow_exception(failure.exception);
}

void async::reduce_axis(Operation operation, const ArrayView& a, std::int64_t axis_number,
                        const MutableArrayView& out, const ReduceOptions& options, const Queue& queue,
                        const Context& context) {
  const std::string prefix = prefix_of(operation);
  const std::size_t axis = checked_axis(prefix, a, axis_number);
  check(operation, a, axis, out);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  require_async(prefix, queue, context, a.type(), out.type());
  if (out.size() == 0) return;
  cuda::reduce_axis_async(axis_reduction(operation, a, axis, out, ddof, context.overflow), queue);
}

}  // namespace foldline
