// The dot product of n floats or doubles: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::dot {

/// A rung is a function of this for float and double. It leaves partial sums on the device or a result, and
/// says how many roundings lie on the longest way from a product to what it leaves: the error that is allowed
/// follows from that.
template <class T>
class Bench : public CommonBench {
 public:
  virtual std::int64_t n() const = 0;
  /// Threads of a block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  /// On the device, as is y.
  virtual const T* x() = 0;
  virtual const T* y() = 0;
  /// Partial sums on the device, which the host adds in double.
  virtual T* partials(std::int64_t count, double depth) = 0;
  /// The result, instead, in memory of the host that kernels write to. Depth 0: it is the correctly rounded
  /// one.
  virtual T* result(double depth) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::dot
