// Sums of columns: each rank's exact sums in words, some columns at a time, added up over the ranks and
// rounded once.
#include <algorithm>

#include "api/validate.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "foldline/error.hpp"
#include "nccl/columns.hpp"
#include "nccl/communicator_state.hpp"
#include "nccl/launch.hpp"
#include "nccl/library.hpp"
#include "nccl/spread.hpp"

namespace foldline::nccl {

namespace {

constexpr const char* name = "column_sums";

void validate(const Communicator::State& state, const MatrixView& rows, const MutableVectorView& out) {
  validate_view(name, out, "out");
  if (out.size() != rows.columns())
    refuse(name, "the sums of " + std::to_string(rows.columns()) + " columns do not fit " +
                     std::to_string(out.size()) + " elements");
  if (out.stride() != 1 && out.size() > 1) refuse(name, "the elements of out must be side by side");
  if (!is_floating(rows.type()) || !is_floating(out.type()))
    refuse(name, "matrix and sums must be of floating-point types");
  const auto require_place = [&](const char* what, const void* data, ElementType type) {
    if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(type)) != 0)
      refuse(name, std::string(what) + " is not at a multiple of its elements' size");
    cuda::require_reachable(what, data, state.device);
  };
  if (rows.array().size() > 0) require_place("the matrix", rows.array().data(), rows.type());
  if (out.size() > 0) require_place("out", out.data(), out.type());
}

/// The description of some columns.
ColumnsTask task_of(const Communicator::State& state, const MatrixView& rows, const MutableVectorView& out,
                    std::int64_t first, std::int64_t count) {
  const ArrayView& array = rows.array();
  ColumnsTask task{};
  task.row_step = array.strides()[0];
  task.column_step = array.strides()[1];
  task.rows = array.size() == 0 ? 0 : rows.rows();
  if (task.rows > 0) task.data = static_cast<const std::byte*>(array.at(first * task.column_step));
  task.columns = static_cast<int>(count);
  task.words = state.columns;
  task.out = count == 0 ? nullptr : out.at(first);
  task.type = out.type();
  task.failure = state.failure;
  return task;
}

/// What all ranks must agree on beside the number of columns.
std::uint64_t call_of(const MatrixView& rows, const MutableVectorView& out) {
  constexpr std::uint64_t is_columns = 1 << 19;
  return static_cast<std::uint64_t>(rows.type()) | static_cast<std::uint64_t>(out.type()) << 20 | is_columns;
}

}  // namespace

void sum_columns(Communicator::State& state, const MatrixView& rows, const MutableVectorView& out,
                 cudaStream_t stream) {
  state.check();
  const cuda::DeviceGuard guard(state.device);
  validate(state, rows, out);
  const bool over_peers = state.has_peers && state.one_process && state.options.transport != Transport::nccl;
  const std::int64_t columns = rows.columns();
  if (state.size > 1 && !over_peers) {  // NCCL does not compare
    SpreadTask task{};
    task.kind = SpreadKind::agreement;
    task.call = call_of(rows, out);
    task.argument = static_cast<std::uint64_t>(columns);
    gather_records(state, task, stream);
  }
  std::int64_t first = 0;
  do {
    const std::int64_t count = std::min(most_columns, columns - first);
    const ColumnsTask task = task_of(state, rows, out, first, count);
    if (count > 0) with_type(rows.type(), [&]<class T>(T) { launch_add_columns<T>(task, stream); });
    if (over_peers && state.size > 1) {
      PeerTask peers = peer_task(state);
      peers.arrays = 1;
      peers.what = call_of(rows, out);
      peers.count = columns;
      peers.out_address = reinterpret_cast<std::uintptr_t>(task.out);
      peers.in_address[0] = reinterpret_cast<std::uintptr_t>(task.words);
      launch_columns_over_peers(task, peers, state.options.most_blocks, stream);
    } else if (count > 0) {
      if (state.size > 1)
        library().check(
            library().all_reduce(task.words, task.words, static_cast<std::size_t>(column_words * count),
                                 Library::int64, Library::sum, state.comm, stream),
            "sums of columns");
      launch_round_columns(task, stream);
    }
    first += count;
  } while (first < columns);
}

}  // namespace foldline::nccl
