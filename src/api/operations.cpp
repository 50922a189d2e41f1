// The operations: validate, plan, let the backend compute moments, round.
#include "foldline/operations.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "api/async_checks.hpp"
#include "api/dispatch.hpp"
#include "api/mixed_pairs.hpp"
#include "api/validate.hpp"
#include "contract/async_backend.hpp"
#include "contract/few_elements.hpp"
#include "foldline/async.hpp"
#include "foldline/detail/parallel.hpp"
#include "results/results.hpp"

namespace foldline {

std::string_view name_of(Operation operation) { return traits_of(operation).name; }

ElementType default_result_type(Operation operation, ElementType elements) {
  if (is_floating(elements)) return elements;
  switch (traits_of(operation).result) {
    case ResultKind::element:
      return elements;
    case ResultKind::sum:
      return is_signed(elements) || elements == ElementType::boolean ? ElementType::int64
                                                                     : ElementType::uint64;
    case ResultKind::quotient:
      break;
  }
  return ElementType::float64;
}

namespace {

void require_elements(Operation operation, const VectorView& x) {
  if (needs_of(operation).extrema && x.size() == 0)
    throw InvalidArgument(std::string(name_of(operation)) + ": there is none of an empty vector");
}

void require_one_number(Operation operation) {
  if (name_of(operation) == "unknown") throw InvalidArgument("reduce: unknown operation");
  if (operation == Operation::statistics)
    throw InvalidArgument("statistics: not one number; ask for each of them");
}

void require_one_element(Operation operation, const MutableVectorView& result) {
  validate_view(name_of(operation), result, "result");
  if (result.size() != 1)
    throw InvalidArgument(std::string(name_of(operation)) + ": the result is one element, not " +
                          std::to_string(result.size()));
}

void store(const Scalar& value, const MutableVectorView& result) {
  value.visit([&](auto element) { std::memcpy(result.data(), &element, sizeof element); });
}

/// The result of few elements, if it is one that needs no exact sums, which takes less time than a fast one
/// otherwise. An instruction set that was asked for is used.
std::optional<Scalar> result_of_few(Operation operation, const VectorView& x, const VectorView& y,
                                    ElementType result, const Context& context) {
  const Execution& execution = context.execution;
  const bool is_usual = execution.device.kind == Device::Kind::cpu && execution.target == Target::automatic;
  if (x.size() > cpu::few_elements || !is_usual) return std::nullopt;
  // Refuses what is no number of threads.
  if (execution.threads < 0 || execution.threads > 1)
    detail::choose_threads(name_of(operation), 0, 1, execution);
  double value = 0;
  if (!cpu::reduce_few(operation, x, y, result, value)) return std::nullopt;
  return Scalar::from_floating(value, result);
}

/// The destination of an asynchronous result.
DeviceResult device_result(Operation operation, const VectorView& x, const MutableVectorView& result,
                           std::int64_t ddof, const async::Queue& queue, const Context& context) {
  require_one_element(operation, result);
  validate_result_type(operation, result.type());
  require_async(name_of(operation), queue, context, x.type(), result.type());
  return {operation, ddof, result.at(0), result.type()};
}

}  // namespace

namespace detail {

Scalar evaluate(Operation operation, const VectorView& x, ElementType result, const Context& context,
                const ReduceOptions& options) {
  validate(operation, x);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  validate_result_type(operation, result);
  require_elements(operation, x);
  if (const auto scalar = result_of_few(operation, x, x, result, context)) return *scalar;
  Moments moments;
  reduce({.needs = needs_of(operation), .x = x, .y = {}, .two_vectors = false},
         on_present_device(plan(operation, x.type(), x.size(), context)), context, moments);
  return rounded_result(moments, operation, result, ddof, context.overflow);
}

Scalar evaluate(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                const Context& context) {
  validate(operation, x, y);
  validate_result_type(operation, result);
  if (const auto scalar = result_of_few(operation, x, y, result, context)) return *scalar;
  Moments moments;
  reduce_pairs(operation, x, y, context, moments);
  return rounded_result(moments, operation, result, 0, context.overflow);
}

Extrema<Scalar> evaluate_extrema(const VectorView& x, ElementType result, const Context& context) {
  validate(Operation::minimum, x);
  require_elements(Operation::minimum, x);
  Moments moments;
  reduce({.needs = needs_of(Operation::minimum), .x = x, .y = {}, .two_vectors = false},
         on_present_device(plan(Operation::minimum, x.type(), x.size(), context)), context, moments);
  return {rounded_result(moments, Operation::minimum, result, 0, context.overflow),
          rounded_result(moments, Operation::maximum, result, 0, context.overflow)};
}

}  // namespace detail

Scalar reduce(Operation operation, const VectorView& x, const ReduceOptions& options,
              const Context& context) {
  require_one_number(operation);
  return detail::evaluate(operation, x, default_result_type(operation, x.type()), context, options);
}

void detail::reduce_to(Operation operation, const VectorView& x, const MutableVectorView& result,
                       const ReduceOptions& options, const Context& context) {
  require_one_number(operation);
  require_one_element(operation, result);
  store(detail::evaluate(operation, x, result.type(), context, options), result);
}

void detail::reduce_to(Operation operation, const VectorView& x, const VectorView& y,
                       const MutableVectorView& result, const Context& context) {
  require_one_element(operation, result);
  store(detail::evaluate(operation, x, y, result.type(), context), result);
}

namespace async {

void detail::reduce_to(Operation operation, const VectorView& x, const MutableVectorView& result,
                       const ReduceOptions& options, const Queue& queue, const Context& context) {
  validate(operation, x);
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  require_elements(operation, x);
  require_one_number(operation);
  cuda::reduce_async({.needs = needs_of(operation), .x = x, .y = {}, .two_vectors = false},
                     device_result(operation, x, result, ddof, queue, context), context.overflow, queue);
}

void detail::reduce_to(Operation operation, const VectorView& x, const VectorView& y,
                       const MutableVectorView& result, const Queue& queue, const Context& context) {
  validate(operation, x, y);
  require_same_type(operation, x, y);
  cuda::reduce_async({.needs = needs_of(operation), .x = x, .y = y, .two_vectors = true},
                     device_result(operation, x, result, 0, queue, context), context.overflow, queue);
}

}  // namespace async

}  // namespace foldline
