/// @file
/// The operations. Each result is the round-to-nearest-even of the exact mathematical result of the inputs as
/// given: no intermediate rounding, overflow or underflow, and so the same bits for any thread count, SIMD
/// width and machine (docs/contract.md has every line of that promise, infinities, NaN and signed zeros
/// included).
///
/// x and y are anything a VectorView can be made of: a std::vector, std::span or std::array of double, float,
/// half, bfloat16, an integer type or bool (not std::vector<bool>, which has no elements in memory), or a
/// VectorView with a stride. The result has the type of floating-point input unless another is asked for. Of
/// integers, sums are std::int64_t (std::uint64_t if they are unsigned), means and norms double. The type of
/// a VectorView is known at run time only: its results are double unless another type is asked for, or
/// reduce() is, which gives each type the result that it would have otherwise:
///
///     foldline::sum(x)                 // of double: double; of int: std::int64_t
///     foldline::sum<double>(x)         // double, rounded once, whatever x is
///     foldline::sum<std::int64_t>(x)   // exact, or an OverflowError (see Accumulator::result)
///     foldline::reduce(foldline::Operation::sum, view)   // a Scalar: int64 of a view of int32
///
/// All take O(n) time and O(1) memory per thread. They throw InvalidArgument for malformed views (negative
/// size, null data with a size, sizes that differ, an address range that overflows) and for a
/// context that cannot be met, and DeviceError if a device of the context fails.
///
/// Method: Demmel & Nguyen, "Fast Reproducible Floating-Point Summation" (ARITH 2013) for the binned sum;
/// Kulisch's long accumulator for what does not fit; both as described in docs/design/arithmetic.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// Stands for "the type of the input".
struct InputType {};

/// What a result may be asked for as.
template <class Result>
concept ResultType = std::same_as<Result, InputType> || Element<Result>;

namespace detail {
// The element type of what is no vector, so that a compiler that looks at the result's type first comes to
// the constraint, and names that.
struct NoElement {};

template <class Vector>
struct ElementOf {
  using type = NoElement;
};
template <ContiguousElements Vector>
struct ElementOf<Vector> {
  using type = std::remove_cv_t<std::ranges::range_value_t<Vector>>;
};
// A view's element type is known at run time only.
template <>
struct ElementOf<VectorView> {
  using type = double;
};
template <>
struct ElementOf<MutableVectorView> {
  using type = double;
};

template <class T>
struct SumOf {
  using type = T;
};
template <IntegerElement T>
struct SumOf<T> {
  using type = std::conditional_t<std::is_signed_v<T> || std::same_as<T, bool>, std::int64_t, std::uint64_t>;
};

/// Significant bits of any value of T.
template <Element T>
inline constexpr int digits_of = std::numeric_limits<T>::digits;
template <>
inline constexpr int digits_of<half> = 11;
template <>
inline constexpr int digits_of<bfloat16> = 8;

/// Whether every value of T is one of Floating.
template <Element Floating, Element T>
constexpr bool holds() {
  if constexpr (!FloatingElement<Floating>) return false;
  if constexpr (std::same_as<Floating, T> || std::same_as<Floating, double>) return true;
  if constexpr (FloatingElement<T>) return std::same_as<Floating, float> && sizeof(T) == 2;
  return digits_of<T> <= digits_of<Floating>;
}

/// The type that stands for elements of both types: as NumPy promotes them if one is floating-point (double
/// for those that no other holds), the 64-bit integer of sums if both are integers.
template <class A, class B>
struct Promoted {
  using type = NoElement;
};
template <Element A, Element B>
struct Promoted<A, B> {
  using type = std::conditional_t<
      holds<A, B>(), A,
      std::conditional_t<holds<B, A>(), B,
                         std::conditional_t<holds<float, A>() && holds<float, B>(), float, double>>>;
};
template <IntegerElement A, IntegerElement B>
struct Promoted<A, B> {
  using type = std::conditional_t<std::same_as<A, B>, A,
                                  std::conditional_t<std::unsigned_integral<typename SumOf<A>::type> &&
                                                         std::unsigned_integral<typename SumOf<B>::type>,
                                                     std::uint64_t, std::int64_t>>;
};

template <class Result, class Default>
using Choose = std::conditional_t<std::same_as<Result, InputType>, Default, Result>;

[[nodiscard]] FOLDLINE_API Scalar evaluate(Operation operation, const VectorView& x, ElementType result,
                                           const Context& context, const ReduceOptions& options = {});
[[nodiscard]] FOLDLINE_API Scalar evaluate(Operation operation, const VectorView& x, const VectorView& y,
                                           ElementType result, const Context& context);
}  // namespace detail

/// What `Result` comes to for an extremum of a vector of type `Vector`: the type of its elements; double for
/// a VectorView.
template <class Result, class Vector>
using ResultOf = detail::Choose<Result, typename detail::ElementOf<Vector>::type>;

/// The same for a sum: of integers, a 64-bit one.
template <class Result, class Vector>
using SumResultOf = detail::Choose<Result, typename detail::SumOf<ResultOf<InputType, Vector>>::type>;

/// The same for a mean or a norm, which are no integers: of integers, double.
template <class Result, class Vector>
using MeanResultOf = detail::Choose<Result, std::conditional_t<IntegerElement<ResultOf<InputType, Vector>>,
                                                               double, ResultOf<InputType, Vector>>>;

/// What two vectors' elements have in common: their type, or what NumPy promotes two types to if one is
/// floating-point. Integers of two types are std::int64_t, or std::uint64_t if both are unsigned.
template <class VectorX, class VectorY>
using PromotedElement =
    typename detail::Promoted<ResultOf<InputType, VectorX>, ResultOf<InputType, VectorY>>::type;

/// The type of a dot product: that of a sum of PromotedElement.
template <class Result, class VectorX, class VectorY>
using DotResultOf = detail::Choose<Result, typename detail::SumOf<PromotedElement<VectorX, VectorY>>::type>;

/// The type of a weighted mean: PromotedElement; of integers, double.
template <class Result, class VectorX, class VectorY>
using WeightedMeanResultOf =
    detail::Choose<Result, std::conditional_t<IntegerElement<PromotedElement<VectorX, VectorY>>, double,
                                              PromotedElement<VectorX, VectorY>>>;

/// Sum of x_i. The empty sum is +0; a sum of only -0 is -0.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] SumResultOf<Result, Vector> sum(const Vector& x, const Context& context = {}) {
  using R = SumResultOf<Result, Vector>;
  return detail::evaluate(Operation::sum, x, element_type_of<R>, context).template as<R>();
}

/// Sum of |x_i|; +inf if any x_i is infinite (and none NaN). BLAS: asum.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] SumResultOf<Result, Vector> vector_abs_sum(const Vector& x, const Context& context = {}) {
  using R = SumResultOf<Result, Vector>;
  return detail::evaluate(Operation::abs_sum, x, element_type_of<R>, context).template as<R>();
}

/// Euclidean norm: the square root of the sum of x_i^2, rounded once. BLAS: nrm2.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> vector_two_norm(const Vector& x, const Context& context = {}) {
  using R = MeanResultOf<Result, Vector>;
  return detail::evaluate(Operation::two_norm, x, element_type_of<R>, context).template as<R>();
}

/// Root mean square: the square root of the mean of x_i^2, rounded once (not the root of a mean that was
/// rounded). NaN for an empty vector, else infinite if any x_i is infinite (and none NaN).
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> root_mean_square(const Vector& x, const Context& context = {}) {
  using R = MeanResultOf<Result, Vector>;
  return detail::evaluate(Operation::root_mean_square, x, element_type_of<R>, context).template as<R>();
}

/// Arithmetic mean, the sum divided by n, rounded once. NaN for an empty vector.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> mean(const Vector& x, const Context& context = {}) {
  using R = MeanResultOf<Result, Vector>;
  return detail::evaluate(Operation::mean, x, element_type_of<R>, context).template as<R>();
}

/// Variance: the sum of (x_i - mean)^2 divided by n - ddof, rounded once. ddof 0 (default) is the population
/// variance, ddof 1 the sample variance, as in NumPy: variance(x, {.ddof = 1}). NaN if n <= ddof or if any
/// x_i is infinite or NaN. Throws InvalidArgument if ddof is negative.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> variance(const Vector& x, const ReduceOptions& options = {},
                                                    const Context& context = {}) {
  using R = MeanResultOf<Result, Vector>;
  return detail::evaluate(Operation::variance, x, element_type_of<R>, context, options).template as<R>();
}

/// Standard deviation: the square root of the exact variance, rounded once (not the root of a variance that
/// was rounded). ddof 0 (default) is that of a population, ddof 1 of a sample, as in NumPy. NaN if n <= ddof
/// or if any x_i is infinite or NaN. Throws InvalidArgument if ddof is negative.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> standard_deviation(const Vector& x,
                                                              const ReduceOptions& options = {},
                                                              const Context& context = {}) {
  using R = MeanResultOf<Result, Vector>;
  return detail::evaluate(Operation::standard_deviation, x, element_type_of<R>, context, options)
      .template as<R>();
}

/// Standard error of the mean: the square root of the exact variance / n, rounded once. The divisor of the
/// variance is n - ddof; ddof is 1 by default, since the elements are a sample. NaN if n <= ddof or if any
/// x_i is infinite or NaN. Throws InvalidArgument if ddof is negative.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> standard_error(const Vector& x, const ReduceOptions& options = {},
                                                          const Context& context = {}) {
  using R = MeanResultOf<Result, Vector>;
  return detail::evaluate(Operation::standard_error, x, element_type_of<R>, context, options)
      .template as<R>();
}

/// Sum of x_i * y_i, products exact. x and y have the same size; on the CPU their types may differ: each
/// element is the number that it is, a std::int64_t beyond 2^53 too. +0 for an exact zero.
template <ResultType Result = InputType, VectorOfElements VectorX, VectorOfElements VectorY>
[[nodiscard]] DotResultOf<Result, VectorX, VectorY> dot(const VectorX& x, const VectorY& y,
                                                        const Context& context = {}) {
  using R = DotResultOf<Result, VectorX, VectorY>;
  return detail::evaluate(Operation::dot, x, y, element_type_of<R>, context).template as<R>();
}

/// Sum of x_i * w_i divided by the sum of w_i, rounded once. Weights may have any sign; NaN if their sum is
/// zero or if x is empty. Types may differ, as in dot().
template <ResultType Result = InputType, VectorOfElements VectorX, VectorOfElements VectorW>
  requires FloatingElement<WeightedMeanResultOf<Result, VectorX, VectorW>>
[[nodiscard]] WeightedMeanResultOf<Result, VectorX, VectorW> weighted_mean(const VectorX& x,
                                                                           const VectorW& weights,
                                                                           const Context& context = {}) {
  using R = WeightedMeanResultOf<Result, VectorX, VectorW>;
  return detail::evaluate(Operation::weighted_mean, x, weights, element_type_of<R>, context).template as<R>();
}

/// Smallest and largest element.
template <class T>
struct Extrema {
  T minimum;  ///< -0 is smaller than +0
  T maximum;  ///< NaN, as the minimum, if any element is NaN
};

namespace detail {
[[nodiscard]] FOLDLINE_API Extrema<Scalar> evaluate_extrema(const VectorView& x, ElementType result,
                                                            const Context& context);
}

/// The smallest and the largest element; -0 is smaller than +0; NaN if any element is NaN.
/// Throws InvalidArgument for an empty vector.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] Extrema<ResultOf<Result, Vector>> minmax(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  const Extrema<Scalar> extrema = detail::evaluate_extrema(x, element_type_of<R>, context);
  return {extrema.minimum.template as<R>(), extrema.maximum.template as<R>()};
}

/// The smallest element; see minmax.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] ResultOf<Result, Vector> min(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return detail::evaluate(Operation::minimum, x, element_type_of<R>, context).template as<R>();
}

/// The largest element; see minmax.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] ResultOf<Result, Vector> max(const Vector& x, const Context& context = {}) {
  using R = ResultOf<Result, Vector>;
  return detail::evaluate(Operation::maximum, x, element_type_of<R>, context).template as<R>();
}

/// The largest element minus the smallest one, rounded once; of integers exact, as a sum. NaN if any element
/// is NaN, or if all are the same infinity. Throws InvalidArgument for an empty vector, OverflowError if an
/// integer result does not fit its type.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] SumResultOf<Result, Vector> range(const Vector& x, const Context& context = {}) {
  using R = SumResultOf<Result, Vector>;
  return detail::evaluate(Operation::range, x, element_type_of<R>, context).template as<R>();
}

/// An operation of one vector that is chosen at run time. The result has the type of default_result_type():
/// of integers, sums are 64-bit integers. Throws InvalidArgument for `statistics`, which is not one number.
[[nodiscard]] FOLDLINE_API Scalar reduce(Operation operation, const VectorView& x,
                                         const ReduceOptions& options = {}, const Context& context = {});

namespace detail {
FOLDLINE_API void reduce_to(Operation operation, const VectorView& x, const MutableVectorView& result,
                            const ReduceOptions& options, const Context& context);
FOLDLINE_API void reduce_to(Operation operation, const VectorView& x, const VectorView& y,
                            const MutableVectorView& result, const Context& context);
}  // namespace detail

/// The same with the result in `result`, one element in memory of the host, rounded once to its type. Nothing
/// is written if the call throws: OverflowError if an integer type cannot hold the result.
template <std::convertible_to<MutableVectorView> Result>
void reduce(Operation operation, const VectorView& x, Result&& result, const ReduceOptions& options = {},
            const Context& context = {}) {
  detail::reduce_to(operation, x, std::forward<Result>(result), options, context);
}

/// An operation of two vectors that is chosen at run time.
template <std::convertible_to<MutableVectorView> Result>
void reduce(Operation operation, const VectorView& x, const VectorView& y, Result&& result,
            const Context& context = {}) {
  detail::reduce_to(operation, x, y, std::forward<Result>(result), context);
}

/// All one-vector results of one pass over the data. Each equals what its own function returns.
template <class Extremum, class Sum = Extremum, class Mean = Sum>
struct Statistics {
  std::int64_t count;       ///< number of elements
  Extremum minimum;         ///< NaN for an empty vector
  Extremum maximum;         ///< NaN for an empty vector
  Sum sum;                  ///< as sum()
  Mean mean;                ///< as mean()
  Mean variance;            ///< as variance()
  Sum abs_sum;              ///< as vector_abs_sum()
  Mean two_norm;            ///< as vector_two_norm()
  Mean standard_deviation;  ///< as standard_deviation()
};

namespace detail {

/// The results of an accumulator of statistics.
template <class Result, class Vector, class Extremum = ResultOf<Result, Vector>,
          class Sum = SumResultOf<Result, Vector>, class Mean = MeanResultOf<Result, Vector>>
Statistics<Extremum, Sum, Mean> statistics_of(const Accumulator& all, const ReduceOptions& options,
                                              const Context& context) {
  return {all.count(),
          all.result<Extremum>(Operation::minimum),
          all.result<Extremum>(Operation::maximum),
          all.result<Sum>(Operation::sum, {}, context.overflow),
          all.result<Mean>(Operation::mean),
          all.result<Mean>(Operation::variance, options.ddof),
          all.result<Sum>(Operation::abs_sum, {}, context.overflow),
          all.result<Mean>(Operation::two_norm),
          all.result<Mean>(Operation::standard_deviation, options.ddof)};
}

}  // namespace detail

/// Count, extrema, sum, mean, variance and standard deviation (divisor n - ddof), abs sum and two-norm in one
/// pass over memory.
/// Integers have no NaN: for an empty vector of them this throws InvalidArgument unless a floating-point
/// Result is asked for.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] Statistics<ResultOf<Result, Vector>, SumResultOf<Result, Vector>, MeanResultOf<Result, Vector>>
statistics(const Vector& x, const ReduceOptions& options = {}, const Context& context = {}) {
  Accumulator all(Operation::statistics);
  all.add(x, context);
  return detail::statistics_of<Result, Vector>(all, options, context);
}

}  // namespace foldline
