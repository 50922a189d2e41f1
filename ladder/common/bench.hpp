// Input and output common to the rungs of several problems. Few includes, because every rung includes this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

/// A rung is a function of its problem's Bench. Every run calls it, and it asks for the same arrays each
/// time.
class CommonBench {
 public:
  /// Scratch memory on the device. Zero before the first run; then as the rung left it.
  virtual void* scratch(std::size_t bytes) = 0;

 protected:
  ~CommonBench() = default;
};

/// For problems whose input is n ints.
class IntsBench : public CommonBench {
 public:
  virtual std::int64_t n() const = 0;
  /// Threads per block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  virtual const int* host_x() const = 0;
  /// In device memory.
  virtual const int* x() = 0;

 protected:
  ~IntsBench() = default;
};

}  // namespace foldline::ladder
