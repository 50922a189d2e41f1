// The operations: validate once, plan, let the backend gather, round.
#include "foldline/operations.hpp"

#include <string>

#include "backend.hpp"
#include "results.hpp"
#include "validate.hpp"

namespace foldline::detail {

double evaluate(Operation operation, const VectorView& x, ElementType result, const Context& context,
                std::int64_t ddof) {
  validate(operation, x);
  validate_ddof(operation, ddof);
  Moments moments;
  cpu::reduce({.needs = needs_of(operation), .x = x, .y = {}, .two_vectors = false},
              plan(operation, x.type(), x.size(), context), moments);
  return rounded_result(moments, operation, result, ddof);
}

double evaluate(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                const Context& context) {
  validate(operation, x, y);
  Moments moments;
  cpu::reduce({.needs = needs_of(operation), .x = x, .y = y, .two_vectors = true},
              plan(operation, x.type(), x.size(), context), moments);
  return rounded_result(moments, operation, result, 0);
}

Extrema<double> evaluate_extrema(const VectorView& x, const Context& context) {
  validate(Operation::minimum, x);
  if (x.size() == 0) throw InvalidArgument("minmax: an empty vector has no smallest and no largest element");
  Moments moments;
  cpu::reduce({.needs = needs_of(Operation::minimum), .x = x, .y = {}, .two_vectors = false},
              plan(Operation::minimum, x.type(), x.size(), context), moments);
  return {rounded_result(moments, Operation::minimum, ElementType::float64, 0),
          rounded_result(moments, Operation::maximum, ElementType::float64, 0)};
}

}  // namespace foldline::detail
