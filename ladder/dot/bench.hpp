// The input and output of a rung: the dot product of n floats or doubles.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::dot {

/// A rung is a function of this for float and double. It computes partial sums on the device, or a result,
/// and reports the depth: the most roundings between a product and what it computes. The allowed error
/// follows from that.
template <class T>
class Bench : public CommonBench {
 public:
  virtual std::int64_t n() const = 0;
  /// Threads per block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  /// In device memory, as is y.
  virtual const T* x() = 0;
  virtual const T* y() = 0;
  /// Partial sums in device memory, which the host adds in double.
  virtual T* partials(std::int64_t count, double depth) = 0;
  /// The result, as an alternative, in host memory that kernels write to. Depth 0: it is correctly rounded.
  virtual T* result(double depth) = 0;
  /// A time that the rung has taken itself, for a table below the others.
  virtual void took(const char* what, double microseconds) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::dot
