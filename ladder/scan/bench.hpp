// The input and output of a rung: the inclusive prefix sums of n ints.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::scan {

/// A rung computes the prefix sums, which fit in an int, on the device or on the host.
class Bench : public IntsBench {
 public:
  /// In device memory.
  virtual int* out() = 0;
  virtual int* host_out() = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::scan
