// The kinds of memory: what a rung is given. Few includes: every rung is compiled with this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldline::ladder::memory {

/// A rung is a function of this. It is called for every run, asks for the arrays it needs, the same each
/// time, and leaves ints that are compared with what they should be, and cycles that it counted, if it counts
/// any.
class Bench {
 public:
  virtual std::int64_t n() const = 0;
  /// On the device: a[i] is i % 1000, b[i] is i % 77.
  virtual const int* a() = 0;
  virtual const int* b() = 0;
  /// `count` ints on the device.
  virtual int* results(std::int64_t count) = 0;
  /// `count` numbers of cycles on the device.
  virtual float* cycles(std::int64_t count) = 0;
  /// Memory on the device for whatever the rung likes. Zero before the first run; then as the rung left it.
  virtual void* scratch(std::size_t bytes) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::memory
