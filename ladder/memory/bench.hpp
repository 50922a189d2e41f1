// The kinds of memory: what a rung is given.
#pragma once

#include "common/bench.hpp"

namespace foldline::ladder::memory {

/// A rung leaves ints that are compared with what they should be, and cycles that it counted, if it counts
/// any.
class Bench : public CommonBench {
 public:
  virtual std::int64_t n() const = 0;
  /// On the device: a[i] is i % 1000, b[i] is i % 77.
  virtual const int* a() = 0;
  virtual const int* b() = 0;
  /// `count` ints on the device.
  virtual int* results(std::int64_t count) = 0;
  /// `count` numbers of cycles, or what follows from them, on the device.
  virtual float* cycles(std::int64_t count) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::memory
