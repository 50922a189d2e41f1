// The terms of each operation, for ThreadSum. A sink takes values or products of two doubles. Only the first
// product of a pair of elements may involve infinities; the others are of low parts, which are finite.
#pragma once

#include "cuda/device/elements.cuh"

namespace foldline::cuda {

struct Values {
  template <class Sink>
  static __device__ __forceinline__ void emit(double x, double, Sink& sink) {
    sink.value(x);
  }
  template <class Sink>
  static __device__ __forceinline__ void emit(DoublePair x, DoublePair, Sink& sink) {
    sink.value(x.high);
    sink.value(x.low);
  }
};

/// The values of the second vector.
struct Weights {
  template <class Number, class Sink>
  static __device__ __forceinline__ void emit(Number x, Number y, Sink& sink) {
    Values::emit(y, x, sink);
  }
};

struct Magnitudes {
  template <class Sink>
  static __device__ __forceinline__ void emit(double x, double, Sink& sink) {
    sink.value(fabs(x));
  }
  template <class Sink>
  static __device__ __forceinline__ void emit(DoublePair x, DoublePair, Sink& sink) {
    sink.value(fabs(x.high));
    sink.value(signbit(x.high) ? -x.low : x.low);  // the low part of a negative integer is positive
  }
};

struct Products {
  template <class Sink>
  static __device__ __forceinline__ void emit(double x, double y, Sink& sink) {
    sink.product(x, y);
  }
  template <class Sink>
  static __device__ __forceinline__ void emit(DoublePair x, DoublePair y, Sink& sink) {
    sink.product(x.high, y.high);
    sink.low_product(x.high, y.low);
    sink.low_product(x.low, y.high);
    sink.low_product(x.low, y.low);
  }
};

struct Squares {
  template <class Number, class Sink>
  static __device__ __forceinline__ void emit(Number x, Number, Sink& sink) {
    Products::emit(x, x, sink);
  }
};

}  // namespace foldline::cuda
