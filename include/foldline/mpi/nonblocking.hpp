/// @file
/// The functions of reductions.hpp and arrays.hpp that return before the other ranks have come: each starts
/// what it is named after and returns a Request for the result. All ranks start such calls, and make those
/// that wait, in the same order on a communicator; they may end them in any.
///
/// This rank's own sums are made in the call; so vectors may be changed after it, but for the arrays and
/// accumulators that results go to: these must stay, and be left alone, until the request is done. All errors
/// come from Request::wait().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/mpi/arrays.hpp"
#include "foldline/mpi/detail/message.hpp"
#include "foldline/mpi/reductions.hpp"
#include "foldline/mpi/request.hpp"

namespace foldline::mpi {

namespace detail {

/// agree() in two halves.
class Agreement {
 public:
  template <class Prepare>
  Agreement(const Place& place, const Call& call, const Prepare& prepare) : all_(place.rank, call) {
    try {
      prepare(all_);
    } catch (...) {
      all_.fail(std::current_exception(), place.rank);
    }
  }
  [[nodiscard]] Requests start(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, &all_, 1, handles_.type(), handles_.operation(), comm, &request),
          "MPI_Iallreduce");
    return {request};
  }
  [[nodiscard]] const Message& own() const { return all_; }
  void merge(const Message& other) { all_.merge(other); }
  const Message& result() const {
    throw_difference(all_);
    throw_failure(all_);
    return all_;
  }

 private:
  Message all_;
  MessageHandles handles_;
};

/// finish(the accumulator of all ranks).
template <class Result, class Add, class Finish>
Request<Result> gather_later(Call call, MPI_Comm comm, Add add, Finish finish) {
  const Place place(comm);
  const auto operation = static_cast<Operation>(call.operation);
  Agreement agreement(place, call, [&](Message& message) {
    Accumulator own(operation);
    add(own);
    message.put(own);
  });
  co_await agreement.start(comm);
  if constexpr (std::is_void_v<Result>)
    finish(agreement.result().total(operation));
  else
    co_return finish(agreement.result().total(operation));
}

template <class Result>
Request<Result> evaluate_later(Operation operation, const VectorView& x, MPI_Comm comm,
                               const Context& context) {
  constexpr ElementType type = element_type_of<Result>;
  return gather_later<Result>(
      reduction_call(operation, x, x, type, {}, context), comm,
      [x, context](Accumulator& own) { own.add(x, context); },
      [operation, context](const Accumulator& all) {
        return all.rounded(operation, type, {}, context.overflow).template as<Result>();
      });
}

}  // namespace detail

/// As sum().
template <ResultType Result = InputType, VectorOfElements Vector>
Request<SumResultOf<Result, Vector>> isum(const Vector& x, MPI_Comm comm, const Context& context = {}) {
  return detail::evaluate_later<SumResultOf<Result, Vector>>(Operation::sum, x, comm, context);
}

/// As dot().
template <ResultType Result = InputType, VectorOfElements VectorX, VectorOfElements VectorY>
Request<DotResultOf<Result, VectorX, VectorY>> idot(const VectorX& x, const VectorY& y, MPI_Comm comm,
                                                    const Context& context = {}) {
  using R = DotResultOf<Result, VectorX, VectorY>;
  const VectorView a = x, b = y;
  return detail::gather_later<R>(
      detail::reduction_call(Operation::dot, a, b, element_type_of<R>, {}, context), comm,
      [a, b, context](Accumulator& own) { own.add(a, b, context); },
      [context](const Accumulator& all) {
        return all.rounded(Operation::dot, element_type_of<R>, {}, context.overflow).template as<R>();
      });
}

/// As reduce(): any operation of one vector, such as Operation::two_norm.
inline Request<Scalar> ireduce(Operation operation, const VectorView& x, MPI_Comm comm,
                               const ReduceOptions& options = {}, const Context& context = {}) {
  const ElementType result = default_result_type(operation, x.type());
  return detail::gather_later<Scalar>(
      detail::reduction_call(operation, x, x, result, options, context), comm,
      [x, context](Accumulator& own) { own.add(x, context); },
      [operation, result, options, context](const Accumulator& all) {
        return all.rounded(operation, result, options.ddof, context.overflow);
      });
}

/// As all_reduce() of an accumulator, which must stay until the request is done, and is changed then.
inline Request<void> iall_reduce(Accumulator& accumulator, MPI_Comm comm) {
  Accumulator* const target = &accumulator;
  return detail::gather_later<void>(
      detail::Call(detail::Function::all_reduce_accumulator, accumulator.operation()), comm,
      [target](Accumulator& own) { own.merge(*target); },
      [target](Accumulator all) { *target = std::move(all); });
}

/// As all_reduce() of arrays, which must stay until the request is done. The first call on a communicator
/// waits for the other ranks, since it duplicates it.
inline Request<void> iall_reduce(VectorView x, MutableVectorView out, MPI_Comm comm,
                                 Operation operation = Operation::sum, Context context = {}) {
  using namespace detail;
  const Place place(comm);
  const Call call = array_call(Function::all_reduce, operation, x, out, context);
  std::optional<ArrayReduction> reduction;
  Agreement begin(place, call, [&](Message&) {
    check_all_reduce(x, out, operation);
    reduction.emplace(comm, place, operation, x, out, context);
  });
  const Channel channel(comm, place);
  co_await begin.start(comm);
  (void)begin.result();
  for (std::int64_t first = 0; first < x.size(); first += reduction->chunk()) {
    const ArrayReduction::Chunk part = reduction->pack(x, out, first);
    co_await reduction->start_exchange(part, channel);
    reduction->reduce(part);
    co_await reduction->start_gather(part, channel);
    reduction->unpack(part);
  }
  // The end, as agree_at_end(): whether each rank could, and if one could not, why.
  std::vector<int> failed(static_cast<std::size_t>(place.ranks));
  int& own = failed[static_cast<std::size_t>(place.rank)] = reduction->failure() ? 1 : 0;
  co_await channel.start(
      1, MPI_INT, [&](int) { return &own; },
      [&](int rank) { return &failed[static_cast<std::size_t>(rank)]; });
  if (std::ranges::count(failed, 1) == 0) co_return;
  Agreement end(place, call, [&](Message&) {
    if (own != 0) std::rethrow_exception(reduction->failure());
  });
  std::vector<Message> all(failed.size(), end.own());
  co_await channel.start(
      sizeof(Message) / 8, MPI_INT64_T, [&](int) { return &end.own(); },
      [&](int rank) { return &all[static_cast<std::size_t>(rank)]; });
  for (const Message& other : all) end.merge(other);
  (void)end.result();
}

/// The same in place.
inline Request<void> iall_reduce(MutableVectorView x, MPI_Comm comm, Operation operation = Operation::sum,
                                 Context context = {}) {
  return iall_reduce(VectorView(x), x, comm, operation, context);
}

}  // namespace foldline::mpi
