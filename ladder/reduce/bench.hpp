// The sum of n ints, in 64 bits: what a rung is given. Few includes: every rung is compiled with this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldline::ladder::reduce {

/// A rung is a function of this. It is called for every run, asks for the arrays it needs, the same each
/// time, and leaves partial sums, a total on the device, or one on the host.
class Bench {
 public:
  virtual std::int64_t n() const = 0;
  /// Threads of a block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  virtual const int* host_x() const = 0;
  /// On the device.
  virtual const int* x() = 0;
  /// The same for a rung that adds in place: fresh in every run.
  virtual int* destroyed_x() = 0;
  /// Partial sums on the device: the host adds them.
  virtual int* partials(std::int64_t count) = 0;
  /// The total on the device, instead.
  virtual std::int64_t* total() = 0;
  /// The total on the host, instead.
  virtual void set_total(std::int64_t total) = 0;
  /// Memory on the device for whatever the rung likes. Zero before the first run; then as the rung left it.
  virtual void* scratch(std::size_t bytes) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::reduce
