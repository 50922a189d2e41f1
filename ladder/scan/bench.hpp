// The inclusive prefix sums of n ints: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::scan {

/// A rung leaves the prefix sums, which fit an int, on the device or on the host.
class Bench : public IntsBench {
 public:
  /// On the device.
  virtual int* out() = 0;
  virtual int* host_out() = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::scan
