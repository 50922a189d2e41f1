// The input and output of a rung: the kinds of memory.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::memory {

/// A rung computes ints, which are verified, and optionally cycle counts.
class Bench : public CommonBench {
 public:
  virtual std::int64_t n() const = 0;
  /// In device memory: a[i] is i % 1000, b[i] is i % 77.
  virtual const int* a() = 0;
  virtual const int* b() = 0;
  /// `count` ints in device memory.
  virtual int* results(std::int64_t count) = 0;
  /// `count` cycle counts, or numbers derived from them, in device memory.
  virtual float* cycles(std::int64_t count) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::memory
