// The input and output of a rung: the sums of the columns of a row-major matrix of doubles.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::column_sums {

/// A rung computes a sum for each column, on the device or on the host, and reports the depth: the most
/// additions between an element and its sum. The allowed error follows from that.
class Bench : public CommonBench {
 public:
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t columns() const = 0;
  virtual const double* host_matrix() const = 0;
  /// In device memory: element (r, c) is at r * columns + c.
  virtual const double* matrix() = 0;
  /// In device memory. Poisoned before every run: a rung that adds to them must clear them.
  virtual double* sums(double depth) = 0;
  /// In host memory, as an alternative. Depth 0: they are correctly rounded.
  virtual double* host_sums(double depth) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::column_sums
