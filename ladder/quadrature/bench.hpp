// The input and output of a rung: the integral of a function from 0 to 1 by a quadrature rule.
#pragma once

#include "common/bench.hpp"
#include "quadrature/integrands.hpp"

namespace foldline::ladder::quadrature {

/// Each of n intervals of width h contributes h times the function's value in its middle, h times the mean of
/// the values at its ends, or, in pairs, the integral of the parabola through three of them. Weights of
/// samples, in units of h, h and h / 3:
enum class Rule : std::uint8_t {
  midpoint,   ///< 1, 1, ..., 1
  trapezoid,  ///< 1/2, 1, ..., 1, 1/2
  simpson     ///< 1, 4, 2, 4, ..., 2, 4, 1
};

/// A rung is a function of this for float and double. It computes sums of samples or the integral, and
/// reports the depth: the most additions between a sample and what it computes. The allowed error follows
/// from that, from the rule's own error, and from the function's few roundings.
template <class T>
class Bench : public CommonBench {
 public:
  virtual Integrand integrand() const = 0;
  /// Number of intervals; at least 1.
  virtual std::int64_t n() const = 0;
  /// Threads per block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  /// Partial sums of weighted samples, in device memory: the host adds them in long double.
  virtual T* partials(std::int64_t count, Rule rule, double depth) = 0;
  /// As an alternative, the n samples of the midpoint rule in device memory: the host adds them one by one,
  /// in T.
  virtual T* samples() = 0;
  /// As an alternative, the integral in host memory.
  virtual void set_result(T value, Rule rule, double depth) = 0;
  /// One of several integrals in host memory, by the rule with another n: exact sums, rounded once.
  virtual void add_result(T value, Rule rule, std::int64_t intervals) = 0;
  /// Declares that samples come from a texture that interpolates between this many intervals.
  virtual void interpolates(int intervals) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::quadrature
