// The input and output of a rung: the product of two matrices of floats or doubles.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::matmul {

/// C = A B in device memory; all three are row-major and contiguous.
template <class T>
struct Product {
  const T* a;  ///< rows x inner
  const T* b;  ///< inner x columns
  T* c;        ///< rows x columns; poisoned before every run
  int rows, columns, inner;
};

/// A rung is a function of this for float and double.
template <class T>
class Bench : public CommonBench {
 public:
  /// For a rung that adds each entry's products in any order: the error is bounded for the worst order.
  virtual Product<T> product() = 0;
  /// For a rung whose entries are correctly rounded.
  virtual Product<T> correctly_rounded_product() = 0;
  /// Threads per block, for the rung whose tile size is chosen at run time: 64, 256 or 1024.
  virtual int block() const = 0;
  /// For a rung that multiplies no matrices: the number of its multiplications and additions.
  virtual void counts(std::int64_t operations) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::matmul
