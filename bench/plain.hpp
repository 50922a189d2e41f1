// The plain loops that everything is compared with: what a good programmer writes who does not care about
// rounding.
#pragma once

#include "problem.hpp"

namespace foldline::bench {

template <FloatingElement T>
using Widened = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Eight vector accumulators; 16-bit types are widened to float. OpenMP for more than one thread.
template <FloatingElement T>
Widened<T> plain_sum(const Problem<T>& problem);

template <FloatingElement T>
T plain_dot(const Problem<T>& problem);

/// Reads every byte of x and, if `vectors` is 2, of y; the result is something that depends on all 8-byte
/// words.
template <FloatingElement T>
double plain_read(const Problem<T>& problem, int vectors);

}  // namespace foldline::bench
