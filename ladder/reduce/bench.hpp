// The sum of n ints, in 64 bits: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::reduce {

/// A rung leaves partial sums, a total on the device, or one on the host.
class Bench : public IntsBench {
 public:
  /// x for a rung that adds in place: fresh in every run.
  virtual int* destroyed_x() = 0;
  /// Partial sums on the device: the host adds them.
  virtual int* partials(std::int64_t count) = 0;
  /// The total on the device, instead.
  virtual std::int64_t* total() = 0;
  /// The total on the host, instead.
  virtual void set_total(std::int64_t total) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::reduce
