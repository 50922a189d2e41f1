// Accumulators of the oracle's data.
#pragma once

#include <array>

#include "cases.hpp"

namespace accumulator_cases {

using cases::ElementType;
using cases::Operation;

inline constexpr auto all_operations =
    oracle::joined(oracle::all_operations, std::array{Operation::statistics});

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
