/// @file
/// Exact reductions of data that is spread over several GPUs, by NCCL or, between GPUs of one host, over
/// their peers' memory.
///
///     using foldline::nccl::Communicator;
///     std::vector<Communicator> ranks = Communicator::connect(comms);  // ncclComm_t of this process's ranks
///     ranks[0].all_reduce(gradient, gradient, n, stream);              // float* in device memory
///
/// makes of each element the sum over all ranks, rounded once.
///
/// Every result is the correctly rounded one of the exact result over all ranks, as the calls of one machine
/// give it: the number of ranks, the way, the size of the message and its pieces cannot show. Every rank gets
/// the same bits.
///
/// Calls queue work in a CUDA stream and return, but for that of an Accumulator; they allocate nothing. All
/// ranks make the same calls in the same order, as with NCCL. NCCL is looked for at run time: in the program,
/// else libnccl.so.2, or the file that FOLDLINE_NCCL names.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"
#include "foldline/operation.hpp"
#include "foldline/operations.hpp"
#include "foldline/scalar.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

/// Exact reductions over several GPUs.
namespace foldline::nccl {

/// How arrays travel.
enum class Transport : std::uint8_t {
  automatic,  ///< over peers' memory where that can be done, else by NCCL
  peers,      ///< kernels that read and write the memory of the other GPUs of the host
  nccl        ///< NCCL's messages; between hosts there is no other way
};

/// The same on all ranks.
struct Options {
  Transport transport = Transport::automatic;  ///< how arrays travel
  /// Seconds that a kernel waits for other GPUs of the host before it gives up: more than ranks may be apart.
  double time_limit = 30;
  /// Bytes of an array that are under way at a time, by NCCL. Twice as much memory is taken.
  std::int64_t chunk_bytes = std::int64_t{128} << 20;
  /// Blocks of a kernel over peers' memory, at most 128; all must be resident at once. 0: 96, or one for each
  /// multiprocessor if there are fewer.
  int most_blocks = 0;
  /// Over peers' memory, bytes of an array from which ranks write their parts of it to the rank that adds
  /// them up, instead of letting it read them. -1: 32 MiB with more than two ranks; if a rank has several
  /// arrays, 16 MiB. The same on all ranks.
  std::int64_t send_from = -1;
};

/// A rank: its GPU, and what it needs to reach the others. Not for use by two threads at once. Calls of one
/// rank must come after each other: all in one stream, or in streams that wait for each other.
class FOLDLINE_API Communicator {
 public:
  /// All ranks of this process: either the only one, or all that there are. `comms` are their NCCL
  /// communicators (ncclComm_t), which stay the caller's and must outlive these. All processes call this; it
  /// waits for them. Throws InvalidArgument if there is no NCCL or a communicator is of no use, DeviceError
  /// if a device or NCCL fails: on all ranks if one has not enough memory.
  [[nodiscard]] static std::vector<Communicator> connect(std::span<void* const> comms,
                                                         const Options& options = {});
  /// A rank for each of these devices of this process, without NCCL: at most 8, all of which reach each
  /// other's memory. A device may be named several times if `most_blocks` lets the kernels of all its ranks
  /// run at once.
  [[nodiscard]] static std::vector<Communicator> of_devices(std::span<const int> devices,
                                                            const Options& options = {});

  Communicator(Communicator&&) noexcept;  ///< what was moved from may only be assigned to or destroyed
  Communicator& operator=(Communicator&&) noexcept;  ///< what was here before must not be in use
  ~Communicator();                                   ///< waits for the device

  [[nodiscard]] int rank() const;    ///< in [0, size())
  [[nodiscard]] int size() const;    ///< number of ranks
  [[nodiscard]] int device() const;  ///< number of the CUDA device
  /// Whether arrays go over peers' memory; between processes, those that are registered.
  [[nodiscard]] bool has_peers() const;

  /// Between processes: lets the other ranks of the host reach an allocation of cudaMalloc, or a part of it.
  /// All ranks call this at the same time; it waits for them. Arrays of a call go over peers' memory if they
  /// are registered on all ranks; either all ranks' arrays are, or none's. In one process it does nothing.
  /// The memory must stay until the communicator is gone. At most 1024 pieces. Throws DeviceError if it
  /// cannot be shared.
  void register_memory(const void* data, std::int64_t bytes);

  /// out[i] = the sum over all ranks of x[i], rounded once. n, a size in elements, and the type are the same
  /// on all ranks. `x` and `out` are device memory; they may be the same array, otherwise they must not
  /// overlap. O(n) time; twice (P-1)/P of the array go in and out. Throws InvalidArgument for a type that is
  /// not floating-point, a negative size or null data.
  template <FloatingElement T>
  void all_reduce(const T* x, T* out, std::int64_t n, void* stream) {
    const void* const arrays[] = {x};
    all_reduce(arrays, out, n, element_type_of<T>, stream);
  }
  /// The same if each rank has several arrays, up to 8 and as many on all: the sum of them all.
  void all_reduce(std::span<const void* const> arrays, void* out, std::int64_t n, ElementType type,
                  void* stream);

  /// out[i] = the sum over all ranks of x[n * rank() + i] for i < n: each rank gets a slice of n elements of
  /// the sum of arrays of n * size() elements. `out` may be that slice of x.
  template <FloatingElement T>
  void reduce_scatter(const T* x, T* out, std::int64_t n, void* stream) {
    const void* const arrays[] = {x};
    reduce_scatter(arrays, out, n, element_type_of<T>, stream);
  }
  /// The same if each rank has several arrays.
  void reduce_scatter(std::span<const void* const> arrays, void* out, std::int64_t n, ElementType type,
                      void* stream);

  /// A number from all ranks' elements together, as the operation gives it for one vector of them all: the
  /// sum, norm, mean, variance and the others of one vector that GPUs have. `x` is this rank's part, which
  /// may be empty, and of another size on each; its type, the
  /// result's and ddof are the same on all. `result` is one floating-point
  /// element in memory that the device reaches. O(n) time on each rank, and messages of at most 4 KiB. Calls
  /// that go through NCCL must not stand within ncclGroupStart and ncclGroupEnd, so ranks of one process need
  /// a thread each. Throws InvalidArgument for what does not fit.
  void reduce(Operation operation, const VectorView& x, const MutableVectorView& result,
              const ReduceOptions& options, void* stream);
  /// The same for the operations of two vectors.
  void reduce(Operation operation, const VectorView& x, const VectorView& y, const MutableVectorView& result,
              void* stream);
  /// @{ The same by name; see operations.hpp.
  template <FloatingElement R>
  void sum(const VectorView& x, R* result, void* stream) {
    reduce(Operation::sum, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void vector_abs_sum(const VectorView& x, R* result, void* stream) {
    reduce(Operation::abs_sum, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void vector_two_norm(const VectorView& x, R* result, void* stream) {
    reduce(Operation::two_norm, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void root_mean_square(const VectorView& x, R* result, void* stream) {
    reduce(Operation::root_mean_square, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void mean(const VectorView& x, R* result, void* stream) {
    reduce(Operation::mean, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void variance(const VectorView& x, R* result, const ReduceOptions& options, void* stream) {
    reduce(Operation::variance, x, MutableVectorView(result, 1), options, stream);
  }
  template <FloatingElement R>
  void standard_deviation(const VectorView& x, R* result, const ReduceOptions& options, void* stream) {
    reduce(Operation::standard_deviation, x, MutableVectorView(result, 1), options, stream);
  }
  template <FloatingElement R>
  void standard_error(const VectorView& x, R* result, const ReduceOptions& options, void* stream) {
    reduce(Operation::standard_error, x, MutableVectorView(result, 1), options, stream);
  }
  template <FloatingElement R>
  void min(const VectorView& x, R* result, void* stream) {
    reduce(Operation::minimum, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void max(const VectorView& x, R* result, void* stream) {
    reduce(Operation::maximum, x, MutableVectorView(result, 1), {}, stream);
  }
  template <FloatingElement R>
  void dot(const VectorView& x, const VectorView& y, R* result, void* stream) {
    reduce(Operation::dot, x, y, MutableVectorView(result, 1), stream);
  }
  template <FloatingElement R>
  void weighted_mean(const VectorView& x, const VectorView& weights, R* result, void* stream) {
    reduce(Operation::weighted_mean, x, weights, MutableVectorView(result, 1), stream);
  }
  /// @}
  /// Count, extrema, sum, mean, variance and the others in one pass, in memory that the device reaches, 8
  /// bytes aligned; see foldline::statistics.
  void statistics(const VectorView& x, Statistics<double, double, double>* result,
                  const ReduceOptions& options, void* stream);

  /// Merges all ranks' accumulators, which are for the same operation: each rank's then holds what all of
  /// them have gathered, of whatever types, on the host or on a GPU. By NCCL; it waits for the stream, so it
  /// cannot be captured, and ranks of one process need a thread each. Throws InvalidArgument if there are
  /// several ranks and no NCCL, DeviceError if ranks differ; the accumulator is then as it was.
  void all_reduce(Accumulator& accumulator, void* stream);

  /// out[j] = the sum of column j of all ranks' rows together, rounded once to out's type. Every rank gives
  /// some of the rows, in any layout, or a matrix of 0 rows; the number of columns and the types, which are
  /// floating-point ones, are the same on all. `out` has an element for each column, side by side.
  /// O(elements) time; 600 bytes a column go in and out. Errors and what is said of streams and NCCL as for
  /// reduce().
  void column_sums(const MatrixView& rows, const MutableVectorView& out, void* stream);

  /// out[i] = the sum of all elements of lower ranks and of x[0] to x[i], each rounded once to out's type,
  /// which is a floating-point one: the part of this rank of the inclusive scan of all parts. Parts may be of
  /// any sizes; types are the same on all ranks. `out` is x or shares no memory with it. O(n) time: two
  /// passes over x, and messages of 4 KiB. Errors, and what is said of streams and NCCL, as for reduce().
  void inclusive_scan(const VectorView& x, const MutableVectorView& out, void* stream);
  /// out[i] = init, the same on all ranks, plus all elements of lower ranks and x[0] to x[i - 1].
  void exclusive_scan(const VectorView& x, const MutableVectorView& out, const Scalar& init, void* stream);

  /// Throws DeviceError if a call so far has failed: another rank did not come within the time limit, asked
  /// for something else, or NCCL failed. Results since then are NaN or unspecified, and nothing more can be
  /// done with these communicators. Complete for a call once its stream has been waited for; every call
  /// begins with it.
  void check() const;

  struct FOLDLINE_HIDDEN State;  ///< of the library alone

 private:
  explicit Communicator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace foldline::nccl
