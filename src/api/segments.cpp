// Reductions of segments and groups: validate, plan, reduce.
#include "foldline/segments.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "api/async_checks.hpp"
#include "api/axis_result.hpp"
#include "api/dispatch.hpp"
#include "api/overlap.hpp"
#include "api/validate.hpp"
#include "contract/segments.hpp"
#include "foldline/async.hpp"
#include "foldline/error.hpp"
#include "results/results.hpp"

namespace foldline {

namespace {

std::string caller_of(std::string_view function, Operation operation) {
  return std::string(function) + ": " + std::string(name_of(operation));
}

void require_disjoint(const std::string& caller, const MutableVectorView& out, const VectorView& other,
                      const char* name) {
  if (have_common_memory(out, other))
    refuse(caller, std::string("out overlaps ") + name + "; results need memory of their own");
}

/// What both functions ask of an operation, of values and of results.
void check(const std::string& caller, Operation operation, const VectorView& values,
           const MutableVectorView& out) {
  if (!makes_one_number(operation))
    refuse(caller, "only operations that make one vector one number have a result for each segment");
  validate_view(caller, values, "values");
  validate_view(caller, out, "out");
  validate_result_type(operation, out.type());
  if (out.size() > 1 && out.stride() == 0)
    refuse(caller, "out has the stride 0, so that all results would be one element");
  require_disjoint(caller, out, values, "values");
}

void check_indices(const std::string& caller, const VectorView& indices, const MutableVectorView& out,
                   const char* name, bool may_be_bool) {
  validate_view(caller, indices, name);
  if (is_floating(indices.type()) || (indices.type() == ElementType::boolean && !may_be_bool))
    refuse(caller, std::string(name) + " are " + std::string(name_of(indices.type())) +
                       "; they must be of an integer type");
  require_disjoint(caller, out, indices, name);
}

void check_segments(const std::string& caller, Operation operation, const VectorView& values,
                    const VectorView& offsets, const MutableVectorView& out) {
  check(caller, operation, values, out);
  check_indices(caller, offsets, out, "offsets", false);
  if (offsets.size() - 1 != out.size())
    refuse(caller, std::to_string(out.size()) + " results take one offset more, but there are " +
                       std::to_string(offsets.size()));
}

void check_groups(const std::string& caller, Operation operation, const VectorView& keys,
                  const VectorView& values, const MutableVectorView& out) {
  check(caller, operation, values, out);
  check_indices(caller, keys, out, "keys", true);
  if (keys.size() != values.size())
    refuse(caller, "there are " + std::to_string(keys.size()) + " keys for " + std::to_string(values.size()) +
                       " values");
}

void require_few_keys(const std::string& caller, std::int64_t results) {
  if (results > UINT32_MAX) refuse(caller, "on a GPU there are at most 2^32 - 1 keys");
}

std::string text_of_index(const VectorView& indices, std::int64_t i) {
  const std::int64_t index = visit_indices(indices, [&](const auto& all) { return all[i]; });
  return indices.type() == ElementType::uint64 ? std::to_string(static_cast<std::uint64_t>(index))
                                               : std::to_string(index);
}

[[noreturn]] void refuse_offset(const std::string& caller, const SegmentReduction& reduction,
                                std::int64_t i) {
  const VectorView& offsets = reduction.offsets;
  std::string problem = "offsets[" + std::to_string(i) + "] is " + text_of_index(offsets, i);
  const std::int64_t offset = visit_indices(offsets, [&](const auto& all) { return all[i]; });
  if (offset < 0 || offset > reduction.values.size())
    problem += "; there are " + std::to_string(reduction.values.size()) + " values";
  else
    problem += ", less than offsets[" + std::to_string(i - 1) + "], " + text_of_index(offsets, i - 1);
  refuse(caller, problem);
}

/// The index of the first offset that is negative, beyond the values or less than the one before; or -1.
std::int64_t first_wrong_offset(const SegmentReduction& reduction) {
  return visit_indices(reduction.offsets, [&](const auto& offsets) -> std::int64_t {
    const std::int64_t count = reduction.offsets.size(), size = reduction.values.size();
    const auto is_wrong = [&](std::int64_t i, std::int64_t before) {
      return offsets[i] < before || offsets[i] > size;
    };
    constexpr std::int64_t block = 1024;  // without a branch for each
    for (std::int64_t first = 0; first < count; first += block) {
      const std::int64_t end = std::min(count, first + block);
      bool wrong = is_wrong(first, first == 0 ? 0 : offsets[first - 1]);
      for (std::int64_t i = first + 1; i < end; ++i) wrong |= is_wrong(i, offsets[i - 1]);
      if (!wrong) continue;
      for (std::int64_t i = first; i < end; ++i)
        if (is_wrong(i, i == 0 ? 0 : offsets[i - 1])) return i;
    }
    return -1;
  });
}

/// The index of the first key that is not in [0, count), or -1; and whether no key is less than the one
/// before.
struct KeyCheck {
  std::int64_t first_wrong;
  bool sorted;
};
KeyCheck check_keys(const VectorView& view, std::int64_t count) {
  return visit_indices(view, [&](const auto& keys) -> KeyCheck {
    bool sorted = true;
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < view.size(); ++i) {
      const std::int64_t key = keys[i];
      if (key < 0 || key >= count) return {i, false};
      sorted &= before <= key;
      before = key;
    }
    return {-1, sorted};
  });
}

/// Throws what a result failed by, if one did; `where` is for the message, before its index.
void throw_failure(const Failure& failure, std::string where) {
  if (!failure.exception) return;
  where += std::to_string(failure.index) + ": ";
  try {
    std::rethrow_exception(failure.exception);
  } catch (const OverflowError& error) {
    const std::string_view problem = error.problem(), all = error.what();
    throw OverflowError(where.append(problem), std::string(all.substr(problem.size() + 2)), error.can_wrap());
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(where + error.what());
  }
}

[[noreturn]] void refuse_key(const std::string& caller, const std::string& key, std::int64_t i,
                             std::int64_t results) {
  refuse(caller, "keys[" + std::to_string(i) + "] is " + key + "; there are " + std::to_string(results) +
                     " results, so keys are in [0, " + std::to_string(results) + ")");
}

void reduce_by_key_on_gpu(const std::string& caller, const SegmentReduction& reduction,
                          const VectorView& keys, const Plan& plan, const Context& context) {
  const std::int64_t results = reduction.out.size();
  require_few_keys(caller, results);
  if (results == 0 && keys.size() == 0) return;
  if (results == 0) refuse_key(caller, "not in the range", 0, 0);
  const std::int64_t wrong =
      cuda::reduce_by_key(reduction, keys, plan, context.execution.stream, round_segment);
  if (wrong >= 0) refuse_key(caller, "not in the range", wrong, results);
}

SegmentPlan plan_segments(const SegmentReduction& reduction, const Context& context) {
  const std::int64_t work = std::max(reduction.values.size(), reduction.out.size());
  return {on_present_device(plan(reduction.operation, reduction.values.type(), work, context)),
          context.execution.target == Target::automatic && context.accuracy == Accuracy::exact};
}

}  // namespace

void round_segment(const SegmentReduction& reduction, const Moments& moments, std::int64_t i) {
  try {
    std::byte* const out = reduction.out.at(i);
    rounded_result(moments, reduction.operation, reduction.out.type(), reduction.ddof, reduction.overflow)
        .visit([out](auto element) { std::memcpy(out, &element, sizeof element); });
  } catch (...) {
    reduction.failure->note(i);
  }
}

void reduce_segments(Operation operation, const VectorView& values, const VectorView& offsets,
                     const MutableVectorView& out, const ReduceOptions& options, const Context& context) {
  const std::string caller = caller_of("reduce_segments", operation);
  check_segments(caller, operation, values, offsets, out);
  Failure failure;
  const SegmentReduction reduction = {
      operation, checked_ddof(operation, options.ddof), values, offsets, out, context.overflow, &failure};
  const SegmentPlan plan = plan_segments(reduction, context);
  if (plan.all.device.kind == Device::Kind::cuda) {
    if (out.size() == 0) return;
    const std::int64_t wrong =
        cuda::reduce_segments(reduction, plan.all, context.execution.stream, round_segment);
    if (wrong >= 0)
      refuse(caller, "offsets[" + std::to_string(wrong) +
                         "] is less than the one before, negative or more than the number of values, " +
                         std::to_string(values.size()));
  } else {
    if (const std::int64_t wrong = first_wrong_offset(reduction); wrong >= 0)
      refuse_offset(caller, reduction, wrong);
    if (out.size() == 0) return;
    cpu::reduce_segments(reduction, plan, round_segment);
  }
  throw_failure(failure, "reduce_segments: segment ");
}

void reduce_by_key(Operation operation, const VectorView& keys, const VectorView& values,
                   const MutableVectorView& out, const ReduceOptions& options, const Context& context) {
  const std::string caller = caller_of("reduce_by_key", operation);
  check_groups(caller, operation, keys, values, out);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  Failure failure;
  SegmentReduction reduction = {operation, ddof, values, {}, out, context.overflow, &failure};
  const SegmentPlan plan = plan_segments(reduction, context);
  if (plan.all.device.kind == Device::Kind::cuda) {
    reduce_by_key_on_gpu(caller, reduction, keys, plan.all, context);
  } else {
    const KeyCheck check = check_keys(keys, out.size());
    if (check.first_wrong >= 0)
      refuse_key(caller, text_of_index(keys, check.first_wrong), check.first_wrong, out.size());
    if (out.size() == 0) return;
    const Groups groups = check.sorted ? cpu::group_sorted(keys, out.size())
                                       : cpu::group_by_key(keys, values, out.size(), plan.all.threads);
    if (!check.sorted) reduction.values = {groups.values.get(), values.type(), values.size()};
    reduction.offsets = groups.offsets;
    cpu::reduce_segments(reduction, plan, round_segment);
  }
  throw_failure(failure, "reduce_by_key: key ");
}

void async::reduce_segments(Operation operation, const VectorView& values, const VectorView& offsets,
                            const MutableVectorView& out, const ReduceOptions& options, const Queue& queue,
                            const Context& context) {
  const std::string caller = caller_of("reduce_segments", operation);
  check_segments(caller, operation, values, offsets, out);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  require_async(caller, queue, context, values.type(), out.type());
  if (queue.status == nullptr)
    refuse("async: " + caller, "offsets may be wrong, which nobody would learn of; set the queue's status");
  if (out.size() == 0) return;
  cuda::reduce_segments_async({operation, ddof, values, offsets, out, context.overflow, nullptr}, queue);
}

std::int64_t async::reduce_by_key_bytes(std::int64_t values, ElementType type, std::int64_t results,
                                        const DeviceWorkspace& workspace) {
  constexpr auto caller = "async: reduce_by_key_bytes";
  require_few_keys(caller, results);
  if (values < 0 || results < 0 || values > INT64_MAX / 64)
    refuse(caller, "there cannot be " + std::to_string(values) + " values and " + std::to_string(results) +
                       " results");
  return cuda::group_memory_bytes(values, type, results, workspace.device().index);
}

void async::reduce_by_key(Operation operation, const VectorView& keys, const VectorView& values,
                          const MutableVectorView& out, const ReduceOptions& options,
                          std::span<std::byte> memory, const Queue& queue, const Context& context) {
  const std::string caller = caller_of("reduce_by_key", operation);
  check_groups(caller, operation, keys, values, out);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  require_async(caller, queue, context, values.type(), out.type());
  require_few_keys(caller, out.size());
  if (queue.status == nullptr)
    refuse("async: " + caller, "keys may be wrong, which nobody would learn of; set the queue's status");
  if (out.size() == 0 && keys.size() > 0) refuse_key(caller, "not in the range", 0, 0);
  if (out.size() == 0) return;
  const std::int64_t needed =
      cuda::group_memory_bytes(keys.size(), values.type(), out.size(), queue.workspace->device().index);
  if (static_cast<std::int64_t>(memory.size()) < needed)
    refuse("async: " + caller, "the memory has " + std::to_string(memory.size()) + " bytes, but " +
                                   std::to_string(needed) + " are needed (reduce_by_key_bytes)");
  constexpr std::uintptr_t alignment = 256;
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % alignment != 0)
    refuse("async: " + caller, "the memory is not at a multiple of " + std::to_string(alignment));
  cuda::reduce_by_key_async({operation, ddof, values, {}, out, context.overflow, nullptr}, keys,
                            memory.data(), queue);
}

}  // namespace foldline
