// The inclusive prefix sums of n ints: what a rung is given. Few includes: every rung is compiled with this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldline::ladder::scan {

/// A rung is a function of this. It is called for every run, asks for the arrays it needs, the same each
/// time, and leaves the prefix sums on the device or on the host. They fit an int.
class Bench {
 public:
  virtual std::int64_t n() const = 0;
  /// Threads of a block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  virtual const int* host_x() const = 0;
  /// On the device, as is out.
  virtual const int* x() = 0;
  virtual int* out() = 0;
  virtual int* host_out() = 0;
  /// Memory on the device for whatever the rung likes. Zero before the first run; then as the rung left it.
  virtual void* scratch(std::size_t bytes) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::scan
