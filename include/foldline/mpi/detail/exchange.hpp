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
#include <memory>
#include <vector>

#include "foldline/axes.hpp"
#include "foldline/mpi/detail/channel.hpp"
#include "foldline/mpi/detail/memory.hpp"
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
                 std::int64_t most, const Memory& memory)
      : comm_(comm),
        place_(place),
        operation_(operation),
        type_(type),
        result_type_(result),
        memory_(memory),
        equal_(place.ranks),
        arrived_(memory.allocate(most * place.ranks * size_of(type))) {}

  /// Sends slice r of `data`, all of `slice` elements, to rank r.
  void exchange(const void* data, int slice) {
    const MPI_Datatype travels = transport_type(type_);
    check(MPI_Alltoall(data, slice, travels, arrived_.get(), slice, travels, comm_), "MPI_Alltoall");
  }
  [[nodiscard]] Requests start_exchange(const void* data, int slice, const Channel& channel) {
    const std::int64_t bytes = slice * size_of(type_);
    const auto* const from = static_cast<const std::byte*>(data);
    memory_.copy({from + place_.rank * bytes, type_, slice},
                 {arrived_.get() + place_.rank * bytes, type_, slice});
    return channel.start(
        slice, transport_type(type_), [=](int rank) { return from + rank * bytes; },
        [=, this](int rank) { return arrived_.get() + rank * bytes; });
  }
  /// The same of slices that differ.
  void exchange(const void* data, const Slices& slices) {
    const MPI_Datatype travels = transport_type(type_);
    const int own = slices.counts[static_cast<std::size_t>(place_.rank)];
    equal_.set([own](std::size_t) { return own; });
    check(MPI_Alltoallv(data, slices.counts.data(), slices.offsets.data(), travels, arrived_.get(),
                        equal_.counts.data(), equal_.offsets.data(), travels, comm_),
          "MPI_Alltoallv");
  }

  /// Reduces what arrived: of each rank `rows` rows of as many elements as `result` has. A sum that fails is
  /// kept for failure(), since the other ranks go on.
  void reduce(const MutableVectorView& result, std::int64_t rows = 1) {
    const std::int64_t columns = result.size();
    if (columns == 0) return;
    try {
      const void* const matrix = arrived_.get();
      reduce_axis(operation_, ArrayView(matrix, type_, {place_.ranks * rows, columns}, {columns, 1}), 0,
                  MutableArrayView(result.data(), result_type_, {columns}, {result.stride()}), {},
                  memory_.sums());
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
  [[nodiscard]] Requests start_gather(std::byte* results, int slice, const Channel& channel) {
    const std::int64_t bytes = slice * size_of(result_type_);
    return channel.start(
        slice, transport_type(result_type_), [=, this](int) { return results + place_.rank * bytes; },
        [=](int rank) { return results + rank * bytes; });
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
  Memory memory_;
  Slices equal_;
  std::shared_ptr<std::byte> arrived_;
  std::exception_ptr failure_;
};

/// Whole arrays, chunk by chunk. (MPI_Allgather, with equal slices: MPICH 4.0's MPI_Allgatherv takes 300
/// times as long where ranks share cores.)
class ArrayReduction {
 public:
  ArrayReduction(MPI_Comm comm, const Place& place, Operation operation, const VectorView& x,
                 const MutableVectorView& out, const Context& context)
      : place_(place),
        memory_(x, out, context),
        slice_(elements_of_slice(x.type(), x.size(), place.ranks)),
        slices_(comm, place, operation, x.type(), out.type(), slice_, memory_) {
    const bool packs = x.size() % place.ranks != 0 || memory_.is_staged();
    if (packs || x.stride() != 1) packed_x_ = memory_.allocate(chunk() * size_of(x.type()));
    if (packs || out.stride() != 1) packed_out_ = memory_.allocate(chunk() * size_of(out.type()));
  }

  /// out = the reduction of all ranks' x, which may be out itself: on every rank, or on one of them.
  void run(const VectorView& x, const MutableVectorView& out, int root = -1) {
    for (std::int64_t first = 0; first < x.size(); first += chunk()) {
      const Chunk part = pack(x, out, first);
      slices_.exchange(part.data, part.slice);
      reduce(part);
      if (root < 0)
        slices_.gather(part.results, part.slice);
      else
        slices_.gather(part.results, part.slice, root);
      unpack(part);
    }
  }

  [[nodiscard]] std::exception_ptr failure() const { return slices_.failure(); }

  /// @{ run() in steps, for those who do not wait.
  struct Chunk {
    const void* data;  ///< a slice for each rank
    int slice;
    std::byte* results;
    MutableVectorView out;
    bool is_direct;  ///< results are in `out`
  };
  /// Elements of a chunk.
  [[nodiscard]] std::int64_t chunk() const { return std::int64_t{slice_} * place_.ranks; }
  /// The chunk that begins with element `first`.
  Chunk pack(const VectorView& all_x, const MutableVectorView& all_out, std::int64_t first) {
    const std::int64_t size = std::min(chunk(), all_x.size() - first);
    const VectorView x = all_x.part(first, size);
    const MutableVectorView out = all_out.part(first, size);
    const int slice = static_cast<int>((size + place_.ranks - 1) / place_.ranks);
    const bool packs = size % place_.ranks != 0 || memory_.is_staged();
    const void* data = x.data();
    if (packs || x.stride() != 1) {
      memory_.copy(x, {packed_x_.get(), x.type(), size});
      const std::int64_t end = std::int64_t{slice} * place_.ranks;
      memory_.clear(packed_x_.get() + size * size_of(x.type()), (end - size) * size_of(x.type()));
      data = packed_x_.get();
    } else {
      memory_.wait();
    }
    // Where this rank is not the root, the results of others do not come to `out`.
    const bool is_direct = !packs && out.stride() == 1;
    return {data, slice, is_direct ? out.at(0) : packed_out_.get(), out, is_direct};
  }
  [[nodiscard]] Requests start_exchange(const Chunk& part, const Channel& channel) {
    return slices_.start_exchange(part.data, part.slice, channel);
  }
  void reduce(const Chunk& part) {
    const std::int64_t slice = part.slice, element = size_of(part.out.type());
    slices_.reduce({part.results + place_.rank * slice * element, part.out.type(), slice});
  }
  [[nodiscard]] Requests start_gather(const Chunk& part, const Channel& channel) {
    return slices_.start_gather(part.results, part.slice, channel);
  }
  void unpack(const Chunk& part) {
    if (!part.is_direct) memory_.copy({part.results, part.out.type(), part.out.size()}, part.out);
  }
  /// @}

 private:
  Place place_;
  Memory memory_;
  int slice_;
  SliceReduction slices_;
  std::shared_ptr<std::byte> packed_x_, packed_out_;
};

}  // namespace foldline::mpi::detail
