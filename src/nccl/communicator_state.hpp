// What a communicator has.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "foldline/device_workspace.hpp"
#include "foldline/nccl/communicator.hpp"
#include "nccl/mailbox.hpp"
#include "nccl/spread.hpp"

namespace foldline::nccl {

/// An allocation that other processes reach.
struct Piece {
  const std::byte* data;
  std::int64_t bytes;
};

struct Communicator::State {
  int rank = 0, size = 1, device = 0;
  void* comm = nullptr;  // null without NCCL
  Options options;
  bool has_peers = false, one_process = true;

  // Over peers' memory.
  Mailbox* own_mailbox = nullptr;     // in this device's memory
  Mailbox* mailbox[most_peers] = {};  // of all ranks, as this device sees them
  std::uint32_t* failure = nullptr;   // pinned
  std::vector<Piece> pieces;          // registered here, in the order of all ranks
  std::vector<void*> opened;          // of other processes
  const std::byte** piece_table = nullptr;

  // By NCCL: two buffers of chunk_bytes, null if nothing goes that way; streams for messages and for sums.
  std::byte* received = nullptr;
  cudaStream_t messages = nullptr, sums = nullptr;
  cudaEvent_t begin = nullptr, message_done[2] = {}, sum_done[2] = {}, end = nullptr;

  // For sums and scans of spread data; see SpreadTask::record.
  std::optional<DeviceWorkspace> workspace;
  std::int64_t* record = nullptr;
  std::int64_t* columns = nullptr;  // words of most_columns columns

  State() = default;
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Throws if a kernel or NCCL has failed.
  void check() const;
  /// Of ranks that have NCCL.
  void make_streams();
  /// These allocate what a rank needs on its device, which is the current one. No call does so later: to
  /// allocate may wait for kernels that wait for other ranks.
  void allocate();
  void allocate_for_sums();
  void allocate_for_messages();
};

/// A description of a kernel over peers' memory, of which the caller fills in what is asked for.
PeerTask peer_task(const Communicator::State& state);

/// A valid all-reduce or reduce-scatter.
struct ElementWise {
  std::span<const void* const> arrays;
  void* out;
  std::int64_t count;  // of elements of a result
  ElementType type;
  bool scatters;
  cudaStream_t stream;
};
void reduce_by_messages(Communicator::State& state, const ElementWise& what);

/// `y` is null for operations on one vector; `result` is a number, or Statistics of doubles.
void reduce_spread(Communicator::State& state, Operation operation, const VectorView& x, const VectorView* y,
                   std::byte* result, ElementType type, const ReduceOptions& options, cudaStream_t stream);
/// `init` is null for inclusive scans.
void scan_spread(Communicator::State& state, const VectorView& x, const MutableVectorView& out,
                 const Scalar* init, cudaStream_t stream);
void sum_columns(Communicator::State& state, const MatrixView& rows, const MutableVectorView& out,
                 cudaStream_t stream);
/// By NCCL; waits for the stream.
void merge_accumulators(Communicator::State& state, Accumulator& accumulator, cudaStream_t stream);
/// By NCCL: gives all ranks the records of all, and ends the task there.
void gather_records(const Communicator::State& state, SpreadTask task, cudaStream_t stream);
/// As load_kernels in launch.hpp.
void load_scan_kernels(Communicator::State& state);

}  // namespace foldline::nccl
