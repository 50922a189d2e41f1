// The integral of a function from 0 to 1 by a rule: what a rung is given.
#pragma once

#include "common/bench.hpp"
#include "quadrature/integrands.hpp"

namespace foldline::ladder::quadrature {

/// Each of n intervals of width h gives h times the function's value in its middle, the mean of those at its
/// ends, or, in pairs, the parabola through three of them. Weights of samples, in units of h, h and h / 3:
enum class Rule : std::uint8_t {
  midpoint,   ///< 1, 1, ..., 1
  trapezoid,  ///< 1/2, 1, ..., 1, 1/2
  simpson     ///< 1, 4, 2, 4, ..., 2, 4, 1
};

/// A rung is a function of this for float and double. It leaves sums of samples or the integral, and says
/// how many additions lie on the longest way from a sample to what it leaves: the error that is allowed
/// follows from that, from the rule's own, and from the function's few roundings.
template <class T>
class Bench : public CommonBench {
 public:
  virtual Integrand integrand() const = 0;
  /// Intervals; at least 1.
  virtual std::int64_t n() const = 0;
  /// Threads of a block: a power of two from 32 to 1024.
  virtual int block() const = 0;
  /// Partial sums on the device of samples times weights: the host adds them in long double.
  virtual T* partials(std::int64_t count, Rule rule, double depth) = 0;
  /// The n samples of the midpoint rule on the device, instead: the host adds them one after the other, in T.
  virtual T* samples() = 0;
  /// The integral on the host, instead.
  virtual void set_result(T value, Rule rule, double depth) = 0;
  /// One of several integrals on the host, by the rule with another n: exact sums, rounded once.
  virtual void add_result(T value, Rule rule, std::int64_t intervals) = 0;
  /// The samples come from a texture that interpolates between this many intervals.
  virtual void interpolates(int intervals) = 0;

 protected:
  ~Bench() = default;
};

}  // namespace foldline::ladder::quadrature
