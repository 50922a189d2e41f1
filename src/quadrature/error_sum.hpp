// The sum of the errors of a changing set of intervals.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "foldline/accumulator.hpp"

namespace foldline::quadrature {

/// An exact sum of errors, from which terms can be removed. Infinite ones are counted.
class ErrorSum {
 public:
  void add(double error) {
    if (std::isinf(error))
      ++unknown_;
    else
      sum_.add(std::array{error}, {.execution = {.threads = 1}});
  }
  void subtract(double error) {
    if (std::isinf(error))
      --unknown_;
    else
      sum_.add(std::array{-error}, {.execution = {.threads = 1}});
  }
  void merge(const ErrorSum& other) {
    unknown_ += other.unknown_;
    sum_.merge(other.sum_);
  }
  double result() const { return unknown_ > 0 ? HUGE_VAL : sum_.result(); }

 private:
  Accumulator sum_{Operation::sum};
  std::int64_t unknown_ = 0;
};

}  // namespace foldline::quadrature
