// The sums of the columns of a row-major matrix of doubles: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::column_sums {

/// A rung leaves a sum for each column, on the device or on the host, and says how many additions lie on the
/// longest way from an element to its sum: the error that is allowed follows from that.
class Bench : public CommonBench {
 public:
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t columns() const = 0;
  virtual const double* host_matrix() const = 0;
  /// On the device: element (r, c) at r * columns + c.
  virtual const double* matrix() = 0;
  /// On the device. Poisoned before every run: a rung that adds to them must clear them.
  virtual double* sums(double depth) = 0;
  /// On the host, instead. Depth 0: they are correctly rounded.
  virtual double* host_sums(double depth) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::column_sums
