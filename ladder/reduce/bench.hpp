// The input and output of a rung: the sum of n ints, in 64 bits.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::reduce {

/// A rung computes partial sums, or the total, with a kernel or on the host.
class Bench : public IntsBench {
 public:
  /// x for a rung that adds in place: a fresh copy in every run, on the device or on the host.
  virtual int* destroyed_x() = 0;
  virtual int* destroyed_host_x() = 0;
  /// Partial sums in device memory: the host adds them.
  virtual int* partials(std::int64_t count) = 0;
  /// The total, as an alternative, in host memory that kernels write to.
  virtual std::int64_t* total() = 0;
  /// The total, as an alternative, computed by the host.
  virtual void set_total(std::int64_t total) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::reduce
