/// @file
/// Prefix sums of a vector that is spread over ranks: x and out are this rank's part of it, after those of
/// the lower ranks. Results are those of scan.hpp for the whole vector: each rounded once, the same bits for
/// any split.
///
/// Method: each rank's exact total; their exclusive scan over ranks, as integers (MPI_Exscan); each rank then
/// scans its part from the exact sum before it. The data is read twice, two messages of 3 KiB travel.
///
/// Throw what the functions of scan.hpp throw, on every rank. An OverflowError leaves `out` written in part.
#pragma once

#include <cstdint>
#include <exception>

#include "foldline/accumulator.hpp"
#include "foldline/mpi/arrays.hpp"
#include "foldline/mpi/detail/message.hpp"
#include "foldline/scalar.hpp"
#include "foldline/scan.hpp"

namespace foldline::mpi {

namespace detail {

/// Throws what the scan of x into out would throw before it writes.
inline void check_scan(const VectorView& x, const MutableVectorView& out) {
  check_views(x, out);
  if (x.size() != out.size()) throw InvalidArgument("scan: x and out must have the same size");
  RunningScan(ScanKind::inclusive).next({x.data(), x.type(), 0}, {out.data(), out.type(), 0});
}

inline void scan(Function function, const VectorView& x, const MutableVectorView& out, MPI_Comm comm,
                 const Scalar* init, const Context& context) {
  const Place place(comm);
  const MessageHandles handles;
  Call call(function, Operation::sum, context);
  call.x_type = call.y_type = static_cast<std::int64_t>(x.type());
  call.result_type = static_cast<std::int64_t>(out.type());
  if (init != nullptr) {
    call.init_type = static_cast<std::int64_t>(init->type());
    call.init_bits = static_cast<std::int64_t>(init->unsigned_integer());
  }
  Message own(place.rank, call);
  agree(comm, place, call, handles, [&](Message&) {
    check_scan(x, out);
    Accumulator part(Operation::sum);
    // Every sum of an exclusive scan begins with init, which is in the total of the first rank.
    if (init != nullptr && place.rank == 0) init->visit([&](auto value) { part.add(value); });
    part.add(x, context);
    own.put(part);
  });
  Message before(place.rank, call);
  check(MPI_Exscan(&own, &before, 1, handles.type(), handles.operation(), comm), "MPI_Exscan");
  std::exception_ptr failure;
  try {
    Accumulator prefix(Operation::sum);
    if (place.rank > 0)
      prefix = before.total(Operation::sum);
    else if (init != nullptr)
      init->visit([&](auto value) { prefix.add(value); });
    RunningScan(init != nullptr ? ScanKind::exclusive : ScanKind::inclusive, prefix).next(x, out, context);
  } catch (...) {
    failure = std::current_exception();
  }
  agree_at_end(comm, place, call, handles, failure);
}

}  // namespace detail

/// out_i = the sum of all elements of lower ranks and of x_0 to x_i.
inline void inclusive_scan(const VectorView& x, const MutableVectorView& out, MPI_Comm comm,
                           const Context& context = {}) {
  detail::scan(detail::Function::inclusive_scan, x, out, comm, nullptr, context);
}

/// out_i = init, the same on all ranks, plus the sum of all elements of lower ranks and of x_0 to x_{i - 1}.
inline void exclusive_scan(const VectorView& x, const MutableVectorView& out, MPI_Comm comm,
                           const Scalar& init = Scalar(0.0), const Context& context = {}) {
  detail::scan(detail::Function::exclusive_scan, x, out, comm, &init, context);
}

}  // namespace foldline::mpi
