// The product of two matrices of floats or doubles: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::matmul {

/// C = A B on the device: all three row-major and without gaps.
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
  /// For a rung that adds up each entry's products in any order at all, and is off by no more than that
  /// allows.
  virtual Product<T> product() = 0;
  /// The same for one whose entries are correctly rounded.
  virtual Product<T> correctly_rounded_product() = 0;
  /// Threads of a block, for the rung whose tiles are not of one size: 64, 256 or 1024.
  virtual int block() const = 0;
  /// For a rung that multiplies no matrices: its own multiplications and additions.
  virtual void counts(std::int64_t operations) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::matmul
