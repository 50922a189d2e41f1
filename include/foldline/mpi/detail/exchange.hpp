/// @file
/// Arrays summed element by element: rank r gets slice r of all ranks, reduces it by the library's sums along
/// an axis, one rounding an element, and all slices go to all ranks. In chunks, so that memory is bounded and
/// a chunk stays in a cache between its arrival and its sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <vector>

#include "foldline/axes.hpp"
#include "foldline/mpi/error.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline::mpi::detail {

/// MPI's type for elements that travel unchanged.
inline MPI_Datatype transport_type(ElementType type) {
  switch (size_of(type)) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    default:
      return MPI_UINT64_T;
  }
}

/// Bytes of a chunk of all ranks' slices together: with less, waiting for each other takes the time; with
/// more, memory does. (64 MiB of floats, 4 ranks on 2 cores, over MPI_Allreduce's speed: with 8 MiB 1.2 by
/// Open MPI 4.1 and 0.3 by MPICH 4.0, whose ranks spin while they wait; with 32 MiB 0.8 and 0.7.)
#ifndef FOLDLINE_MPI_CHUNK_BYTES
#define FOLDLINE_MPI_CHUNK_BYTES (std::int64_t{1} << 25)
#endif
inline constexpr std::int64_t chunk_bytes = FOLDLINE_MPI_CHUNK_BYTES;
/// Of a slice, on so many ranks that these take more.
inline constexpr std::int64_t fewest_slice_bytes = 1024;

/// Copies elements of any strides.
inline void copy(const VectorView& from, const MutableVectorView& to) {
  const auto size = static_cast<std::size_t>(size_of(from.type()));
  if (from.size() == 0) return;
  if (from.stride() == 1 && to.stride() == 1) {
    std::memcpy(to.at(0), from.at(0), size * static_cast<std::size_t>(from.size()));
    return;
  }
  for (std::int64_t i = 0; i < from.size(); ++i) std::memcpy(to.at(i), from.at(i), size);
}

/// Numbers of elements for each rank and where they begin, as MPI takes them.
struct Slices {
  std::vector<int> counts, offsets;

  explicit Slices(int ranks)
      : counts(static_cast<std::size_t>(ranks)), offsets(static_cast<std::size_t>(ranks)) {}
  /// count(rank) for each rank, one after the other.
  template <class Count>
  void set(const Count& count) {
    int offset = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = static_cast<int>(count(i));
      offsets[i] = offset;
      offset += counts[i];
    }
  }
};

using Buffer = std::vector<std::byte>;

/// Elements of a slice, for arrays of so many.
inline int elements_of_slice(ElementType type, std::int64_t size, int ranks) {
  const std::int64_t most = std::max(chunk_bytes / ranks, fewest_slice_bytes) / size_of(type);
  return static_cast<int>(std::clamp<std::int64_t>((size + ranks - 1) / ranks, 1, most));
}

/// Reduces slices of all ranks' arrays, element by element. Allocates when it is made, and then no more: so
/// that a rank that lacks memory can say so before the others wait for it.
class SliceReduction {
 public:
  /// `most` is the largest number of elements of a slice.
  SliceReduction(MPI_Comm comm, const Place& place, Operation operation, ElementType type, ElementType result,
                 std::int64_t most, const Context& context)
      : comm_(comm),
        place_(place),
        operation_(operation),
        type_(type),
        result_type_(result),
        context_(context),
        equal_(place.ranks),
        arrived_(static_cast<std::size_t>(most * place.ranks * size_of(type))) {}

  /// Sends slice r of `data`, all of `slice` elements, to rank r.
  void exchange(const void* data, int slice) {
    const MPI_Datatype travels = transport_type(type_);
    check(MPI_Alltoall(data, slice, travels, arrived_.data(), slice, travels, comm_), "MPI_Alltoall");
  }
  /// The same of slices that differ.
  void exchange(const void* data, const Slices& slices) {
    const MPI_Datatype travels = transport_type(type_);
    const int own = slices.counts[static_cast<std::size_t>(place_.rank)];
    equal_.set([own](std::size_t) { return own; });
    check(MPI_Alltoallv(data, slices.counts.data(), slices.offsets.data(), travels, arrived_.data(),
                        equal_.counts.data(), equal_.offsets.data(), travels, comm_),
          "MPI_Alltoallv");
  }

  /// Reduces what arrived: of each rank `rows` rows of as many elements as `result` has. A sum that fails is
  /// kept for failure(), since the other ranks go on.
  void reduce(const MutableVectorView& result, std::int64_t rows = 1) {
    const std::int64_t columns = result.size();
    if (columns == 0) return;
    try {
      const void* const matrix = arrived_.data();
      reduce_axis(operation_, ArrayView(matrix, type_, {place_.ranks * rows, columns}, {columns, 1}), 0,
                  MutableArrayView(result.data(), result_type_, {columns}, {result.stride()}), {}, context_);
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  /// Sends this rank's slice of `results` to all ranks, which get all slices.
  void gather(void* results, int slice) {
    check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, results, slice, transport_type(result_type_),
                        comm_),
          "MPI_Allgather");
  }
  /// The same to the rank `root` alone.
  void gather(void* results, int slice, int root) {
    const MPI_Datatype travels = transport_type(result_type_);
    std::byte* const own =
        static_cast<std::byte*>(results) + place_.rank * std::int64_t{slice} * size_of(result_type_);
    check(place_.rank == root
              ? MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, results, slice, travels, root, comm_)
              : MPI_Gather(own, slice, travels, nullptr, 0, MPI_DATATYPE_NULL, root, comm_),
          "MPI_Gather");
  }

  /// The first sum that failed, if one did.
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }

 private:
  MPI_Comm comm_;
  Place place_;
  Operation operation_;
  ElementType type_, result_type_;
  Context context_;
  Slices equal_;
  Buffer arrived_;
  std::exception_ptr failure_;
};

/// Whole arrays, chunk by chunk. (MPI_Allgather, with equal slices: MPICH 4.0's MPI_Allgatherv takes 300
/// times as long where ranks share cores.)
class ArrayReduction {
 public:
  ArrayReduction(MPI_Comm comm, const Place& place, Operation operation, const VectorView& x,
                 const MutableVectorView& out, const Context& context)
      : place_(place),
        slice_(elements_of_slice(x.type(), x.size(), place.ranks)),
        slices_(comm, place, operation, x.type(), out.type(), slice_, context) {
    const std::int64_t chunk = std::int64_t{slice_} * place.ranks;
    const bool is_uneven = x.size() % place.ranks != 0;
    if (is_uneven || x.stride() != 1) packed_x_.resize(static_cast<std::size_t>(chunk * size_of(x.type())));
    if (is_uneven || out.stride() != 1)
      packed_out_.resize(static_cast<std::size_t>(chunk * size_of(out.type())));
  }

  /// out = the reduction of all ranks' x, which may be out itself: on every rank, or on one of them.
  void run(const VectorView& x, const MutableVectorView& out, int root = -1) {
    const std::int64_t chunk = std::int64_t{slice_} * place_.ranks;
    for (std::int64_t first = 0; first < x.size(); first += chunk)
      run_chunk(x.part(first, std::min(chunk, x.size() - first)),
                out.part(first, std::min(chunk, x.size() - first)), root);
  }

  [[nodiscard]] std::exception_ptr failure() const { return slices_.failure(); }

 private:
  void run_chunk(const VectorView& x, const MutableVectorView& out, int root) {
    const std::int64_t size = x.size();
    const int slice = static_cast<int>((size + place_.ranks - 1) / place_.ranks);
    const bool is_uneven = size % place_.ranks != 0;
    const void* data = x.data();
    if (is_uneven || x.stride() != 1) {
      copy(x, {packed_x_.data(), x.type(), size});
      const std::int64_t end = std::int64_t{slice} * place_.ranks;
      std::fill_n(packed_x_.begin() + size * size_of(x.type()), (end - size) * size_of(x.type()),
                  std::byte{0});
      data = packed_x_.data();
    }
    // Where this rank is not the root, the results of others do not come to `out`.
    const bool is_direct = !is_uneven && out.stride() == 1;
    std::byte* const results = is_direct ? out.at(0) : packed_out_.data();
    slices_.exchange(data, slice);
    slices_.reduce({results + place_.rank * std::int64_t{slice} * size_of(out.type()), out.type(), slice});
    if (root < 0)
      slices_.gather(results, slice);
    else
      slices_.gather(results, slice, root);
    if (!is_direct) copy({results, out.type(), size}, out);
  }

  Place place_;
  int slice_;
  SliceReduction slices_;
  Buffer packed_x_, packed_out_;
};

}  // namespace foldline::mpi::detail
