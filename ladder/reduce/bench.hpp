// The sum of n ints, in 64 bits: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::reduce {

/// A rung leaves partial sums, or the total, by a kernel or by the host.
class Bench : public IntsBench {
 public:
  /// x for a rung that adds in place: fresh in every run.
  virtual int* destroyed_x() = 0;
  /// Partial sums on the device: the host adds them.
  virtual int* partials(std::int64_t count) = 0;
  /// The total, instead, in memory of the host that kernels write to.
  virtual std::int64_t* total() = 0;
  /// The total, instead, by the host.
  virtual void set_total(std::int64_t total) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::reduce
