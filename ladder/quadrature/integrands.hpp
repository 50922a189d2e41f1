// The functions that are integrated from 0 to 1, for host and device.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>

namespace foldline::ladder::quadrature {

/// 4 / (1 + x^2), whose integral is pi: smooth.
struct Reciprocal {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return 4 / (1 + x * x);
  }
};

/// The square root, whose integral is 2/3: its slope at 0 is infinite, which limits rules of any order.
struct Root {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::sqrt(x);
  }
};

/// x exp(-x), whose integral is 1 - 2/e: smooth, with an exponential function to compute.
struct Damped {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x * std::exp(-x);
  }
};

enum class Integrand : std::uint8_t { reciprocal, root, damped };

/// Calls action(f) with the function.
template <class Action>
void with(Integrand integrand, Action action) {
  switch (integrand) {
    case Integrand::reciprocal:
      return action(Reciprocal{});
    case Integrand::root:
      return action(Root{});
    case Integrand::damped:
      return action(Damped{});
  }
}

}  // namespace foldline::ladder::quadrature
