/// @file
/// Operations that make one number of vectors that are spread over ranks: the functions of operations.hpp
/// with a communicator. x is this rank's part, of any length, and may be empty; the result is that of all
/// parts together, on every rank. The element type is the same on all ranks.
///
/// Each takes the time of the local sums and one all-reduce of a message of 3 KiB: exact sums travel as
/// integers, and rounding comes last, on every rank, from the same integers.
///
/// Throw what the functions of operations.hpp throw, on every rank: also if one rank alone is wrong or out of
/// memory (foldline::Error), or if ranks call different functions, types or options (InvalidArgument).
#pragma once

#include <cstdint>

#include "foldline/accumulator.hpp"
#include "foldline/mpi/detail/message.hpp"
#include "foldline/mpi/error.hpp"
#include "foldline/operations.hpp"

namespace foldline::mpi {

namespace detail {

/// The accumulator of all ranks; add(own) adds what this rank has.
template <class Add>
Accumulator gathered(const Call& call, MPI_Comm comm, const Add& add) {
  const Place place(comm);
  const MessageHandles handles;
  const auto operation = static_cast<Operation>(call.operation);
  const Message all = agree(comm, place, call, handles, [&](Message& message) {
    Accumulator own(operation);
    add(own);
    message.put(own);
  });
  return all.total(operation);
}

inline Call reduction_call(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                           const ReduceOptions& options, const Context& context) {
  Call call(Function::reduce, operation, context);
  call.x_type = static_cast<std::int64_t>(x.type());
  call.y_type = static_cast<std::int64_t>(y.type());
  call.result_type = static_cast<std::int64_t>(result);
  call.has_ddof = options.ddof ? 1 : 0;
  call.ddof = options.ddof.value_or(0);
  return call;
}

inline Accumulator gathered(Operation operation, const VectorView& x, ElementType result, MPI_Comm comm,
                            const ReduceOptions& options, const Context& context) {
  return gathered(reduction_call(operation, x, x, result, options, context), comm,
                  [&](Accumulator& own) { own.add(x, context); });
}

inline Scalar evaluate(Operation operation, const VectorView& x, ElementType result, MPI_Comm comm,
                       const Context& context, const ReduceOptions& options = {}) {
  return gathered(operation, x, result, comm, options, context)
      .rounded(operation, result, options.ddof, context.overflow);
}

template <class R>
R evaluate(Operation operation, const VectorView& x, MPI_Comm comm, const Context& context,
           const ReduceOptions& options = {}) {
  return evaluate(operation, x, element_type_of<R>, comm, context, options).template as<R>();
}

template <class R>
R evaluate(Operation operation, const VectorView& x, const VectorView& y, MPI_Comm comm,
           const Context& context) {
  return gathered(reduction_call(operation, x, y, element_type_of<R>, {}, context), comm,
                  [&](Accumulator& own) { own.add(x, y, context); })
      .template result<R>(operation, {}, context.overflow);
}

}  // namespace detail

/// Merges all ranks' accumulators: each rank's then holds what all of them have gathered, of whatever types.
/// After an error it is as it was.
inline void all_reduce(Accumulator& accumulator, MPI_Comm comm) {
  accumulator =
      detail::gathered(detail::Call(detail::Function::all_reduce_accumulator, accumulator.operation()), comm,
                       [&](Accumulator& own) { own.merge(accumulator); });
}

/// Sum of all x_i; see foldline::sum.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] SumResultOf<Result, Vector> sum(const Vector& x, MPI_Comm comm, const Context& context = {}) {
  return detail::evaluate<SumResultOf<Result, Vector>>(Operation::sum, x, comm, context);
}

/// Sum of all |x_i|; see foldline::vector_abs_sum.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] SumResultOf<Result, Vector> vector_abs_sum(const Vector& x, MPI_Comm comm,
                                                         const Context& context = {}) {
  return detail::evaluate<SumResultOf<Result, Vector>>(Operation::abs_sum, x, comm, context);
}

/// Euclidean norm; see foldline::vector_two_norm.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> vector_two_norm(const Vector& x, MPI_Comm comm,
                                                           const Context& context = {}) {
  return detail::evaluate<MeanResultOf<Result, Vector>>(Operation::two_norm, x, comm, context);
}

/// Root mean square; see foldline::root_mean_square.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> root_mean_square(const Vector& x, MPI_Comm comm,
                                                            const Context& context = {}) {
  return detail::evaluate<MeanResultOf<Result, Vector>>(Operation::root_mean_square, x, comm, context);
}

/// Arithmetic mean of all elements; see foldline::mean.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> mean(const Vector& x, MPI_Comm comm, const Context& context = {}) {
  return detail::evaluate<MeanResultOf<Result, Vector>>(Operation::mean, x, comm, context);
}

/// Variance of all elements; see foldline::variance.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> variance(const Vector& x, MPI_Comm comm,
                                                    const ReduceOptions& options = {},
                                                    const Context& context = {}) {
  return detail::evaluate<MeanResultOf<Result, Vector>>(Operation::variance, x, comm, context, options);
}

/// Standard deviation of all elements; see foldline::standard_deviation.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] MeanResultOf<Result, Vector> standard_deviation(const Vector& x, MPI_Comm comm,
                                                              const ReduceOptions& options = {},
                                                              const Context& context = {}) {
  return detail::evaluate<MeanResultOf<Result, Vector>>(Operation::standard_deviation, x, comm, context,
                                                        options);
}

/// Sum of all x_i * y_i; each rank's x and y have the same size. See foldline::dot.
template <ResultType Result = InputType, VectorOfElements VectorX, VectorOfElements VectorY>
[[nodiscard]] DotResultOf<Result, VectorX, VectorY> dot(const VectorX& x, const VectorY& y, MPI_Comm comm,
                                                        const Context& context = {}) {
  return detail::evaluate<DotResultOf<Result, VectorX, VectorY>>(Operation::dot, x, y, comm, context);
}

/// Sum of all x_i * w_i divided by the sum of all w_i; see foldline::weighted_mean.
template <ResultType Result = InputType, VectorOfElements VectorX, VectorOfElements VectorW>
  requires FloatingElement<WeightedMeanResultOf<Result, VectorX, VectorW>>
[[nodiscard]] WeightedMeanResultOf<Result, VectorX, VectorW> weighted_mean(const VectorX& x,
                                                                           const VectorW& weights,
                                                                           MPI_Comm comm,
                                                                           const Context& context = {}) {
  return detail::evaluate<WeightedMeanResultOf<Result, VectorX, VectorW>>(Operation::weighted_mean, x,
                                                                          weights, comm, context);
}

/// The smallest element of all; see foldline::min. InvalidArgument if no rank has an element.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] ResultOf<Result, Vector> min(const Vector& x, MPI_Comm comm, const Context& context = {}) {
  return detail::evaluate<ResultOf<Result, Vector>>(Operation::minimum, x, comm, context);
}

/// The largest element of all; see foldline::max. InvalidArgument if no rank has an element.
template <ResultType Result = InputType, VectorOfElements Vector>
[[nodiscard]] ResultOf<Result, Vector> max(const Vector& x, MPI_Comm comm, const Context& context = {}) {
  return detail::evaluate<ResultOf<Result, Vector>>(Operation::maximum, x, comm, context);
}

/// An operation of one vector that is chosen at run time; see foldline::reduce.
[[nodiscard]] inline Scalar reduce(Operation operation, const VectorView& x, MPI_Comm comm,
                                   const ReduceOptions& options = {}, const Context& context = {}) {
  return detail::evaluate(operation, x, default_result_type(operation, x.type()), comm, context, options);
}

/// All one-vector results of one pass; see foldline::statistics.
template <ResultType Result = InputType, VectorOfElements Vector>
  requires FloatingElement<MeanResultOf<Result, Vector>>
[[nodiscard]] Statistics<ResultOf<Result, Vector>, SumResultOf<Result, Vector>, MeanResultOf<Result, Vector>>
statistics(const Vector& x, MPI_Comm comm, const ReduceOptions& options = {}, const Context& context = {}) {
  const Accumulator all = detail::gathered(
      Operation::statistics, x, element_type_of<SumResultOf<Result, Vector>>, comm, options, context);
  return foldline::detail::statistics_of<Result, Vector>(all, options, context);
}

}  // namespace foldline::mpi
