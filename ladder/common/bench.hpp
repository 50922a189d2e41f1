// What rungs of more than one problem are given. Few includes: every rung is compiled with this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

/// A rung is a function of its problem's Bench. It is called for every run, and asks for the arrays it needs,
/// the same each time.
class CommonBench {
 public:
  /// Memory on the device for whatever the rung likes. Zero before the first run; then as the rung left it.
  virtual void* scratch(std::size_t bytes) = 0;

 protected:
  ~CommonBench() = default;
};

/// Of a problem that is given n ints.
class IntsBench : public CommonBench {
 public:
  virtual std::int64_t n() const = 0;
  /// Threads of a block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  virtual const int* host_x() const = 0;
  /// On the device.
  virtual const int* x() = 0;

 protected:
  ~IntsBench() = default;
};

}  // namespace foldline::ladder
