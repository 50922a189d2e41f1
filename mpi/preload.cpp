// libfoldline_pmpi_MPI.so, for LD_PRELOAD: MPI_Allreduce, MPI_Reduce, MPI_Reduce_scatter_block and MPI_Scan
// with MPI_SUM of floats and doubles, from C and from Fortran, give each element's sum over the ranks rounded
// once. So programs that nobody recompiles get the same bits for any order and number of ranks, wherever each
// rank's contribution is fixed. Everything else goes to MPI itself.
//
// No agreement among ranks comes first, as in foldline::mpi: as MPI has it, counts that differ are the
// program's mistake.
#include <cstring>
#include <new>
#include <vector>

#include "foldline/mpi/arrays.hpp"
#include "foldline/scan.hpp"
#include "preload.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace foldline;
using namespace foldline::mpi::detail;

/// Whether the call is one for us, and its element type.
bool is_ours(const void* send, int count, MPI_Datatype datatype, MPI_Op operation, MPI_Comm comm,
             ElementType& type) {
  if (!is_sum_of_reals(datatype, operation) || comm == MPI_COMM_NULL || count <= 0 || send == nullptr)
    return false;
  int size = 0, is_inter = 1;  // a Fortran compiler's options may change the size of its types
  PMPI_Type_size(datatype, &size);
  PMPI_Comm_test_inter(comm, &is_inter);
  type = size == 4 ? ElementType::float32 : ElementType::float64;
  return is_inter == 0 && (size == 4 || size == 8);
}

/// MPI's code for what `call` throws, by the communicator's error handler, which usually ends the program.
template <class Call>
int guarded(MPI_Comm comm, const Call& call) {
  int code = MPI_ERR_OTHER;
  try {
    call(Place(comm));
    return MPI_SUCCESS;
  } catch (const foldline::mpi::Error& error) {
    return error.code();  // whose handler has been called
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  } catch (...) {
  }
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

void rethrow(const std::exception_ptr& failure) {
  if (failure) std::rethrow_exception(failure);
}

/// Few elements: all ranks' arrays to all, in one step, take less time than slices there and back.
constexpr std::int64_t few_bytes = 32768;

void all_reduce(const void* send, void* result, int count, ElementType type, MPI_Comm comm,
                const Place& place) {
  const std::int64_t bytes = count * size_of(type);
  if (bytes > few_bytes / place.ranks) {
    const MutableVectorView out(result, type, count);
    ArrayReduction reduction(comm, place, Operation::sum, VectorView(send, type, count), out, {});
    reduction.run(VectorView(send, type, count), out);
    return rethrow(reduction.failure());
  }
  std::vector<std::byte> all(static_cast<std::size_t>(bytes * place.ranks));
  const void* const rows = all.data();
  check(PMPI_Allgather(send, count, transport_type(type), all.data(), count, transport_type(type), comm),
        "MPI_Allgather");
  reduce_axis(Operation::sum, ArrayView(rows, type, {place.ranks, count}, {count, 1}), 0,
              MutableArrayView(result, type, {count}, {1}));
}

void reduce_to(const void* send, void* result, int count, ElementType type, int root, MPI_Comm comm,
               const Place& place) {
  std::vector<std::byte> unused(place.rank == root ? 0 : static_cast<std::size_t>(count * size_of(type)));
  const MutableVectorView out(place.rank == root ? result : unused.data(), type, count);
  ArrayReduction reduction(comm, place, Operation::sum, VectorView(send, type, count), out, {});
  reduction.run(VectorView(send, type, count), out, root);
  rethrow(reduction.failure());
}

/// Element i of the result on rank r: the sum of elements i of ranks 0 to r. Rank s scans slice s of all
/// ranks.
void scan(const void* send, void* result, int count, ElementType type, MPI_Comm comm, const Place& place) {
  const int slice = elements_of_slice(type, count, place.ranks);
  const std::int64_t size = size_of(type), chunk = std::int64_t{slice} * place.ranks;
  std::vector<std::byte> data(static_cast<std::size_t>(chunk * size)), arrived(data.size());
  const MPI_Datatype travels = transport_type(type);
  for (std::int64_t first = 0; first < count; first += chunk) {
    const auto bytes = static_cast<std::size_t>(std::min(chunk, count - first) * size);
    std::memcpy(data.data(), static_cast<const std::byte*>(send) + first * size, bytes);
    check(PMPI_Alltoall(data.data(), slice, travels, arrived.data(), slice, travels, comm), "MPI_Alltoall");
    void* const rows = arrived.data();
    const MutableArrayView matrix(rows, type, {place.ranks, slice}, {slice, 1});
    inclusive_scan_axis(matrix, 0, matrix);
    check(PMPI_Alltoall(arrived.data(), slice, travels, data.data(), slice, travels, comm), "MPI_Alltoall");
    std::memcpy(static_cast<std::byte*>(result) + first * size, data.data(), bytes);
  }
}

void reduce_scatter_block(const void* send, void* result, int count, ElementType type, MPI_Comm comm,
                          const Place& place) {
  const int most = static_cast<int>(std::max(chunk_bytes / place.ranks, fewest_slice_bytes) / size_of(type));
  const int slice = std::min(count, most);
  const std::int64_t size = size_of(type);
  SliceReduction reduction(comm, place, Operation::sum, type, type, slice, {});
  std::vector<std::byte> packed(static_cast<std::size_t>(std::int64_t{slice} * place.ranks * size));
  for (int first = 0; first < count; first += slice) {
    const int taken = std::min(slice, count - first);
    for (std::int64_t rank = 0; rank < place.ranks; ++rank)
      std::memcpy(packed.data() + rank * taken * size,
                  static_cast<const std::byte*>(send) + (rank * count + first) * size,
                  static_cast<std::size_t>(taken * size));
    reduction.exchange(packed.data(), taken);
    reduction.reduce({static_cast<std::byte*>(result) + first * size, type, taken});
  }
  rethrow(reduction.failure());
}

}  // namespace

EXPORT int MPI_Allreduce(const void* send, void* result, int count, MPI_Datatype datatype, MPI_Op operation,
                         MPI_Comm comm) {
  ElementType type{};
  if (!is_ours(send, count, datatype, operation, comm, type))
    return PMPI_Allreduce(send, result, count, datatype, operation, comm);
  const void* const own = send == MPI_IN_PLACE ? result : send;
  return guarded(comm, [&](const Place& place) { all_reduce(own, result, count, type, comm, place); });
}

EXPORT int MPI_Reduce(const void* send, void* result, int count, MPI_Datatype datatype, MPI_Op operation,
                      int root, MPI_Comm comm) {
  ElementType type{};
  int ranks = 0;
  if (!is_ours(send, count, datatype, operation, comm, type) || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS ||
      root < 0 || root >= ranks)
    return PMPI_Reduce(send, result, count, datatype, operation, root, comm);
  const void* const own = send == MPI_IN_PLACE ? result : send;
  return guarded(comm, [&](const Place& place) { reduce_to(own, result, count, type, root, comm, place); });
}

EXPORT int MPI_Reduce_scatter_block(const void* send, void* result, int count, MPI_Datatype datatype,
                                    MPI_Op operation, MPI_Comm comm) {
  ElementType type{};
  if (!is_ours(send, count, datatype, operation, comm, type))
    return PMPI_Reduce_scatter_block(send, result, count, datatype, operation, comm);
  // In place, all blocks are in `result`, and this rank's sums go to its beginning, where other blocks still
  // have to be sent from.
  std::vector<std::byte> copied;
  return guarded(comm, [&](const Place& place) {
    const void* own = send;
    if (send == MPI_IN_PLACE) {
      const auto* const begin = static_cast<const std::byte*>(result);
      copied.assign(begin, begin + std::int64_t{count} * place.ranks * size_of(type));
      own = copied.data();
    }
    reduce_scatter_block(own, result, count, type, comm, place);
  });
}

EXPORT int MPI_Scan(const void* send, void* result, int count, MPI_Datatype datatype, MPI_Op operation,
                    MPI_Comm comm) {
  ElementType type{};
  if (!is_ours(send, count, datatype, operation, comm, type))
    return PMPI_Scan(send, result, count, datatype, operation, comm);
  const void* const own = send == MPI_IN_PLACE ? result : send;
  return guarded(comm, [&](const Place& place) { scan(own, result, count, type, comm, place); });
}
