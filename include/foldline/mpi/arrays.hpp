/// @file
/// Arrays of all ranks reduced element by element, as MPI_Allreduce and MPI_Reduce_scatter do, but with one
/// rounding: element i of the result is the correctly rounded sum of all ranks' elements i.
///
/// Bytes: each rank sends and receives twice (P - 1) / P of the array, as in a ring all-reduce, in the type
/// of the elements. Memory beside the arrays: as much as they have, at most 32 MiB (1 KiB for each rank if
/// that is more), three times that for views with strides or sizes that P does not divide. Views may have any
/// strides and need not be aligned; sizes, types and options are the same on all ranks.
///
/// With a context that names a GPU, contiguous arrays may be in its memory. MPI then sends them from there
/// and the GPU adds up, if MPI says that it knows CUDA (MPIX_Query_cuda_support); else they pass through
/// pinned memory of the host, where the processor adds up. The bits are the same.
///
/// Throw InvalidArgument on every rank, before anything is written, if views, sizes or types do not fit or
/// differ among ranks; foldline::Error if a rank is out of memory; OverflowError if an integer result does
/// not fit its type on any rank (unless Overflow::wrap is asked for): `out` is then written to in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foldline/array_view.hpp"
#include "foldline/mpi/detail/exchange.hpp"
#include "foldline/mpi/detail/message.hpp"
#include "foldline/operation.hpp"
#include "foldline/vector_view.hpp"

namespace foldline::mpi {

namespace detail {

/// The bytes [first, last) of a valid view with elements.
struct Bytes {
  std::uintptr_t first, last;
  explicit Bytes(const VectorView& view) {
    const auto a = reinterpret_cast<std::uintptr_t>(view.at(0));
    const auto b = reinterpret_cast<std::uintptr_t>(view.at(view.size() - 1));
    first = std::min(a, b);
    last = std::max(a, b) + static_cast<std::uintptr_t>(size_of(view.type()));
  }
};

inline bool are_apart(const VectorView& x, const VectorView& y) {
  if (x.size() == 0 || y.size() == 0) return true;
  const Bytes a(x), b(y);
  return a.last <= b.first || b.last <= a.first;
}
inline bool are_same(const VectorView& x, const VectorView& y) {
  return x.data() == y.data() && x.stride() == y.stride() && x.type() == y.type() && x.size() == y.size();
}

/// Throws InvalidArgument for malformed views: those of arrays are checked when they are made.
inline void check_views(const VectorView& x, const MutableVectorView& out) {
  if (!is_known(x.type()) || !is_known(out.type())) throw InvalidArgument("unknown element type");
  (void)ArrayView(x);
  (void)MutableArrayView(out.data(), out.type(), {out.size()}, {out.stride()});
}

/// Throws InvalidArgument for what no axis can be reduced by.
inline void check_elementwise(Operation operation, ElementType type, ElementType result) {
  std::vector<std::byte> one(8), other(8);
  const void* const x = one.data();
  reduce_axis(operation, ArrayView(x, type, {1, 1}, {1, 1}), 0,
              MutableArrayView(other.data(), result, {1}, {1}));
}

/// Throws InvalidArgument for what all_reduce() refuses.
inline void check_all_reduce(const VectorView& x, const MutableVectorView& out, Operation operation) {
  check_views(x, out);
  if (x.size() != out.size())
    throw InvalidArgument("all_reduce: x has " + std::to_string(x.size()) + " elements and out " +
                          std::to_string(out.size()) + "; they must have the same number");
  if (!are_same(x, out) && !are_apart(x, out))
    throw InvalidArgument(
        "all_reduce: x and out overlap; out must be x itself (same data, stride and type) or "
        "share no memory with it");
  check_elementwise(operation, x.type(), out.type());
}

inline Call array_call(Function function, Operation operation, const VectorView& x,
                       const MutableVectorView& out, const Context& context) {
  Call call(function, operation, context);
  call.x_type = call.y_type = static_cast<std::int64_t>(x.type());
  call.result_type = static_cast<std::int64_t>(out.type());
  call.size = x.size();
  return call;
}

}  // namespace detail

/// out_i = the sum of all ranks' x_i, on every rank, rounded once to out's type. `out` may be x itself (same
/// data, stride and type), and must share no memory with it otherwise. `operation` may be any that
/// reduce_axis() takes: mean, minimum, maximum, two_norm, ...
inline void all_reduce(const VectorView& x, const MutableVectorView& out, MPI_Comm comm,
                       Operation operation = Operation::sum, const Context& context = {}) {
  const detail::Place place(comm);
  const detail::MessageHandles handles;
  const detail::Call call = detail::array_call(detail::Function::all_reduce, operation, x, out, context);
  std::optional<detail::ArrayReduction> reduction;
  detail::agree(comm, place, call, handles, [&](detail::Message&) {
    detail::check_all_reduce(x, out, operation);
    reduction.emplace(comm, place, operation, x, out, context);
  });
  reduction->run(x, out);
  detail::agree_at_end(comm, place, call, handles, reduction->failure());
}

/// The same in place.
inline void all_reduce(const MutableVectorView& x, MPI_Comm comm, Operation operation = Operation::sum,
                       const Context& context = {}) {
  all_reduce(x, x, comm, operation, context);
}

/// Rank r gets block r of the sum of all ranks' x, rounded once: the blocks are as long as the ranks' `out`,
/// one after the other, and make up x. `out` may be this rank's block of x itself (same data, stride and
/// type), and must share no memory with x otherwise.
inline void reduce_scatter(const VectorView& x, const MutableVectorView& out, MPI_Comm comm,
                           Operation operation = Operation::sum, const Context& context = {}) {
  const detail::Place place(comm);
  const detail::MessageHandles handles;
  const detail::Call call = detail::array_call(detail::Function::reduce_scatter, operation, x, out, context);
  const auto ranks = static_cast<std::size_t>(place.ranks);
  const auto own = static_cast<std::size_t>(place.rank);
  std::optional<detail::SliceReduction> reduction;
  std::optional<detail::Slices> slices;
  std::vector<std::int64_t> sizes, begins;
  std::optional<detail::Memory> memory;
  std::shared_ptr<std::byte> packed, sums;
  const int slice =
      detail::elements_of_slice(x.type(), x.size(), place.ranks);  // most elements of a block in a chunk
  detail::agree(comm, place, call, handles, [&](detail::Message&) {
    detail::check_views(x, out);
    detail::check_elementwise(operation, x.type(), out.type());
    sizes.resize(ranks);
    begins.resize(ranks);
    slices.emplace(place.ranks);
    memory.emplace(x, out, context);
    packed = memory->allocate(std::int64_t{slice} * place.ranks * size_of(x.type()));
    if (memory->is_staged()) sums = memory->allocate(std::int64_t{slice} * size_of(out.type()));
    reduction.emplace(comm, place, operation, x.type(), out.type(), slice, *memory);
  });
  const std::int64_t size = out.size();
  detail::check(MPI_Allgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, comm), "MPI_Allgather");
  std::int64_t end = 0, longest = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    begins[i] = end;
    longest = std::max(longest, sizes[i]);
    if (sizes[i] > x.size() - end)
      throw InvalidArgument("reduce_scatter: the blocks of ranks 0 to " + std::to_string(i) + " exceed the " +
                            std::to_string(x.size()) + " elements of x");
    end += sizes[i];
  }
  if (end != x.size())
    throw InvalidArgument("reduce_scatter: the blocks of all ranks have " + std::to_string(end) +
                          " elements together, and x has " + std::to_string(x.size()));
  detail::agree(comm, place, call, handles, [&](detail::Message&) {
    if (!detail::are_apart(x, out) && !detail::are_same(x.part(begins[own], size), out))
      throw InvalidArgument(
          "reduce_scatter: x and out overlap; out must be this rank's block of x or share no memory with x");
  });
  for (std::int64_t first = 0; first < longest; first += slice) {
    const auto count = [&](std::size_t rank) {
      return std::clamp<std::int64_t>(sizes[rank] - first, 0, slice);
    };
    slices->set([&](std::size_t rank) { return static_cast<int>(count(rank)); });
    for (std::size_t i = 0; i < ranks; ++i)
      if (count(i) > 0)
        memory->copy(x.part(begins[i] + first, count(i)),
                     {packed.get() + slices->offsets[i] * size_of(x.type()), x.type(), count(i)});
    reduction->exchange(packed.get(), *slices);
    if (count(own) == 0) continue;
    const MutableVectorView part = out.part(first, count(own));
    const MutableVectorView target = sums ? MutableVectorView(sums.get(), out.type(), count(own)) : part;
    reduction->reduce(target);
    if (sums) memory->copy(target, part);
  }
  detail::agree_at_end(comm, place, call, handles, reduction->failure());
}

}  // namespace foldline::mpi
