// The operations: validate, plan, let the backend compute moments, round.
#include "foldline/operations.hpp"

#include <string>

#include "api/async_checks.hpp"
#include "api/dispatch.hpp"
#include "api/mixed_pairs.hpp"
#include "api/validate.hpp"
#include "contract/async_backend.hpp"
#include "foldline/async.hpp"
#include "results/results.hpp"

namespace foldline {

namespace {

void require_elements(Operation operation, const VectorView& x) {
  if (needs_of(operation).extrema && x.size() == 0)
    throw InvalidArgument(std::string(name_of(operation)) + ": there is none of an empty vector");
}

/// The destination of an asynchronous result.
DeviceResult device_result(Operation operation, const VectorView& x, const MutableVectorView& result,
                           std::int64_t ddof, const Context& context) {
  validate_view(name_of(operation), result, "result");
  if (result.size() != 1)
    throw InvalidArgument(std::string(name_of(operation)) + ": the result is one element, not " +
                          std::to_string(result.size()));
  validate_result_type(operation, result.type());
  validate_device(operation, context);
  require_async(name_of(operation), context, x.type(), result.type());
  return {operation, ddof, result.at(0), result.type()};
}

}  // namespace

namespace detail {

Scalar evaluate(Operation operation, const VectorView& x, ElementType result, const Context& context,
                std::int64_t ddof) {
  validate(operation, x);
  validate_ddof(operation, ddof);
  validate_result_type(operation, result);
  require_elements(operation, x);
  Moments moments;
  reduce({.needs = needs_of(operation), .x = x, .y = {}, .two_vectors = false},
         on_present_device(plan(operation, x.type(), x.size(), context)), context, moments);
  return rounded_result(moments, operation, result, ddof, context.overflow);
}

Scalar evaluate(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                const Context& context) {
  validate(operation, x, y);
  validate_result_type(operation, result);
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

namespace async {

void reduce(Operation operation, const VectorView& x, const MutableVectorView& result, std::int64_t ddof,
            const Context& context) {
  validate(operation, x);
  validate_ddof(operation, ddof);
  require_elements(operation, x);
  if (operation == Operation::statistics)
    throw InvalidArgument("statistics: not one number; ask for each of them");
  cuda::reduce_async({.needs = needs_of(operation), .x = x, .y = {}, .two_vectors = false},
                     device_result(operation, x, result, ddof, context), context);
}

void reduce(Operation operation, const VectorView& x, const VectorView& y, const MutableVectorView& result,
            const Context& context) {
  validate(operation, x, y);
  require_same_type(operation, x, y);
  cuda::reduce_async({.needs = needs_of(operation), .x = x, .y = y, .two_vectors = true},
                     device_result(operation, x, result, 0, context), context);
}

}  // namespace async

}  // namespace foldline
