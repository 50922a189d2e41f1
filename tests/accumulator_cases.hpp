// Accumulators of the oracle's data.
#pragma once

#include <array>

#include "cases.hpp"

namespace accumulator_cases {

using cases::ElementType;
using cases::Operation;

inline constexpr std::array all_operations = {Operation::sum,
                                              Operation::abs_sum,
                                              Operation::two_norm,
                                              Operation::root_mean_square,
                                              Operation::mean,
                                              Operation::variance,
                                              Operation::dot,
                                              Operation::weighted_mean,
                                              Operation::minimum,
                                              Operation::maximum,
                                              Operation::statistics,
                                              Operation::standard_deviation,
                                              Operation::standard_error,
                                              Operation::range};

inline bool takes_two(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}

inline foldline::Accumulator gather(Operation operation, const generators::Data& data, ElementType type) {
  const cases::Layout x(data.x, type), y(data.y, type);
  foldline::Accumulator result(operation);
  if (takes_two(operation)) {
    result.add(x.view(), y.view());
  } else {
    result.add(x.view());
  }
  return result;
}

}  // namespace accumulator_cases
