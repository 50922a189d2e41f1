/// @file
/// The operations. Each result is the round-to-nearest-even of the exact mathematical result of the inputs as
/// given: no intermediate rounding, overflow or underflow, and so the same bits for any thread count, SIMD
/// width and machine (docs/contract.md has every line of that promise, infinities, NaN and signed zeros
/// included).
///
/// x and y are anything a VectorView can be made of: a std::vector, std::span or std::array of double, float,
/// half or bfloat16, or a VectorView with a stride. The result has the input's type unless another is asked
/// for:
///
///     foldline::sum(x)            // x's own type
///     foldline::sum<double>(x)    // double, rounded once, whatever x is
///
/// All take O(n) time and O(1) memory per thread. They throw InvalidArgument for malformed views (negative
/// size, null data with a size, sizes or types that differ, an address range that overflows) and for a
/// context that cannot be met.
///
/// Method: Demmel & Nguyen, "Fast Reproducible Floating-Point Summation" (ARITH 2013) for the binned sum;
/// Kulisch's long accumulator for what does not fit; both as described in ARCHITECTURE.md.
#pragma once

#include <cstdint>

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Stands for "the type of the input".
struct InputType {};

namespace detail {
template <class Result, class Vector>
struct ResultOf {
  using type = Result;
};
template <class Vector>
struct ResultOf<InputType, Vector> {
  using type = std::remove_cv_t<std::ranges::range_value_t<Vector>>;
};
template <>
struct ResultOf<InputType, VectorView> {
  using type = double;  // a view's element type is known at run time only
};

FOLDLINE_API double evaluate(Operation operation, const VectorView& x, ElementType result,
                             const Context& context, std::int64_t ddof = 0);
FOLDLINE_API double evaluate(Operation operation, const VectorView& x, const VectorView& y,
                             ElementType result, const Context& context);
}  // namespace detail

/// What `Result` comes to for an input of type `Vector`; double for a VectorView.
template <class Result, class Vector>
using ResultOf = typename detail::ResultOf<Result, Vector>::type;

/// Sum of x_i. The empty sum is +0; a sum of only -0 is -0.
template <class Result = InputType, class Vector>
ResultOf<Result, Vector> sum(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return narrow_exactly<R>(detail::evaluate(Operation::sum, x, element_type_of<R>, context));
}

/// Sum of |x_i|; +inf if any x_i is infinite (and none NaN). BLAS: asum.
template <class Result = InputType, class Vector>
ResultOf<Result, Vector> vector_abs_sum(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return narrow_exactly<R>(detail::evaluate(Operation::abs_sum, x, element_type_of<R>, context));
}

/// Euclidean norm: the square root of the sum of x_i^2, rounded once. BLAS: nrm2.
template <class Result = InputType, class Vector>
ResultOf<Result, Vector> vector_two_norm(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return narrow_exactly<R>(detail::evaluate(Operation::two_norm, x, element_type_of<R>, context));
}

/// Arithmetic mean, the sum divided by n, rounded once. NaN for an empty vector.
template <class Result = InputType, class Vector>
ResultOf<Result, Vector> mean(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return narrow_exactly<R>(detail::evaluate(Operation::mean, x, element_type_of<R>, context));
}

/// Variance: the sum of (x_i - mean)^2 divided by n - ddof, rounded once. ddof 0 (default) is the population
/// variance, ddof 1 the sample variance, as in NumPy. NaN if n <= ddof or if any x_i is infinite or NaN.
/// Throws InvalidArgument if ddof is negative.
template <class Result = InputType, class Vector>
ResultOf<Result, Vector> variance(const Vector& x, std::int64_t ddof = 0, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return narrow_exactly<R>(detail::evaluate(Operation::variance, x, element_type_of<R>, context, ddof));
}

/// Sum of x_i * y_i, products exact. x and y have the same size and element type. +0 for an exact zero.
template <class Result = InputType, class VectorX, class VectorY>
ResultOf<Result, VectorX> dot(const VectorX& x, const VectorY& y, const Context& context = {}) {
  using R = ResultOf<Result, VectorX>;
  return narrow_exactly<R>(detail::evaluate(Operation::dot, x, y, element_type_of<R>, context));
}

/// Sum of x_i * w_i divided by the sum of w_i, rounded once. Weights may have any sign; NaN if their sum is
/// zero or if x is empty.
template <class Result = InputType, class VectorX, class VectorW>
ResultOf<Result, VectorX> weighted_mean(const VectorX& x, const VectorW& weights,
                                        const Context& context = {}) {
  using R = ResultOf<Result, VectorX>;
  return narrow_exactly<R>(
      detail::evaluate(Operation::weighted_mean, x, weights, element_type_of<R>, context));
}

/// Smallest and largest element.
template <class T>
struct Extrema {
  T minimum;  ///< -0 is smaller than +0
  T maximum;  ///< NaN, as the minimum, if any element is NaN
};

namespace detail {
FOLDLINE_API Extrema<double> evaluate_extrema(const VectorView& x, const Context& context);
}

/// The smallest and the largest element; -0 is smaller than +0; NaN if any element is NaN.
/// Throws InvalidArgument for an empty vector.
template <class Vector>
Extrema<ResultOf<InputType, Vector>> minmax(const Vector& x, const Context& context = {}) {
  using T = ResultOf<InputType, Vector>;
  const Extrema<double> extrema = detail::evaluate_extrema(x, context);
  return {narrow_exactly<T>(extrema.minimum), narrow_exactly<T>(extrema.maximum)};
}

/// The smallest element; see minmax.
template <class Vector>
ResultOf<InputType, Vector> min(const Vector& x, const Context& context = {}) {
  return minmax(x, context).minimum;
}

/// The largest element; see minmax.
template <class Vector>
ResultOf<InputType, Vector> max(const Vector& x, const Context& context = {}) {
  return minmax(x, context).maximum;
}

/// All one-vector results of one pass over the data. Each equals what its own function returns.
template <class R>
struct Statistics {
  std::int64_t count;  ///< number of elements
  R minimum;           ///< NaN for an empty vector
  R maximum;           ///< NaN for an empty vector
  R sum;               ///< as sum()
  R mean;              ///< as mean()
  R variance;          ///< as variance()
  R abs_sum;           ///< as vector_abs_sum()
  R two_norm;          ///< as vector_two_norm()
};

/// Count, extrema, sum, mean, variance (divisor n - ddof), abs sum and two-norm in one pass over memory.
template <class Result = InputType, class Vector>
Statistics<ResultOf<Result, Vector>> statistics(const Vector& x, std::int64_t ddof = 0,
                                                const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  Accumulator all(Operation::statistics);
  all.add(x, context);
  const auto result = [&](Operation operation) { return all.result<R>(operation, ddof); };
  return {all.count(),
          result(Operation::minimum),
          result(Operation::maximum),
          result(Operation::sum),
          result(Operation::mean),
          result(Operation::variance),
          result(Operation::abs_sum),
          result(Operation::two_norm)};
}

}  // namespace foldline
