// Numbers from spread data: each rank's exact sum by the CUDA backend, its words added up over the ranks, one
// rounding on each.
#include <string>

#include "contract/async_backend.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/runtime/properties.hpp"
#include "foldline/error.hpp"
#include "nccl/communicator_state.hpp"
#include "nccl/library.hpp"
#include "nccl/spread.hpp"

namespace foldline::nccl {

namespace {

[[noreturn]] void refuse(Operation operation, const std::string& what) {
  throw InvalidArgument(std::string(traits_of(operation).name) + " of spread data: " + what);
}

void validate(Operation operation, const VectorView& x, const VectorView* y, const MutableVectorView& result,
              std::int64_t ddof, int device) {
  const OperationTraits& traits = traits_of(operation);
  if (!traits.on_gpu || operation == Operation::statistics || &traits == &unknown_operation)
    refuse(operation, "GPUs do not have this operation");
  if (traits.two_vectors != (y != nullptr))
    refuse(operation, traits.two_vectors ? "it takes two vectors" : "it takes one vector");
  if (!is_floating(result.type())) refuse(operation, "the result must be of a floating-point type");
  if (result.size() != 1) refuse(operation, "the result is one element");
  if (ddof < 0) refuse(operation, "ddof is negative");
  for (const VectorView* const view : {&x, y}) {
    if (view == nullptr) continue;
    if (view->size() < 0 || !is_known(view->type()))
      refuse(operation, "a vector has a negative size or no known type");
    if (view->size() == 0) continue;
    if (view->data() == nullptr) refuse(operation, "a vector is null");
    cuda::require_reachable("a vector", view->data(), device);
  }
  if (y != nullptr && (x.size() != y->size() || x.type() != y->type()))
    refuse(operation, "sizes or types of the two vectors differ");
  cuda::require_reachable("the result", result.data(), device);
}

/// This rank's exact sum. With `round`, a single launch also rounds it; returns null if it did.
const cuda::KernelResult* add_up(const Communicator::State& state, const Reduction& reduction,
                                 const cuda::ResultTask* round, cudaStream_t stream) {
  const cuda::Launch launch{state.workspace, state.part, stream, cuda::multiprocessors_of(state.device),
                            round};
  Reduction rest = reduction;
  while (rest.x.size() > 0) {
    const bool is_first = rest.x.size() == reduction.x.size();
    const std::int64_t done = cuda::launch_reduce(rest, launch);
    if (done == reduction.x.size()) return round != nullptr ? nullptr : state.part;
    cuda::launch_add_to_total(state.part, state.total, is_first, stream);
    rest.x = rest.x.part(done, rest.x.size() - done);
    if (rest.two_vectors) rest.y = rest.y.part(done, rest.y.size() - done);
  }
  return state.total;
}

void add_over_ranks(const Communicator::State& state, const SpreadTask& task, cudaStream_t stream) {
  if (state.has_peers && state.options.transport != Transport::nccl) {
    PeerTask peers = peer_task(state);
    peers.what = std::uint64_t{1} << 20 | static_cast<std::uint64_t>(task.result.result.operation) << 8 |
                 static_cast<std::uint64_t>(task.result.elements);
    return launch_spread_over_peers(task, peers, stream);
  }
  const Library& nccl = library();
  launch_pack(task, stream);
  nccl.check(nccl.group_start(), "beginning a group");
  nccl.check(nccl.all_reduce(task.words, task.words, static_cast<std::size_t>(words_of(task)), Library::int64,
                             Library::sum, state.comm, stream),
             "a sum");
  if (task.has_extrema)
    nccl.check(nccl.all_reduce(task.words + spread_words, task.words + spread_words, 2, Library::int64,
                               Library::max, state.comm, stream),
               "a maximum");
  nccl.check(nccl.group_end(), "a sum");
  launch_round(task, stream);
}

}  // namespace

void reduce_spread(Communicator::State& state, Operation operation, const VectorView& x, const VectorView* y,
                   const MutableVectorView& result, const ReduceOptions& options, cudaStream_t stream) {
  state.check();
  const cuda::DeviceGuard guard(state.device);
  const std::int64_t ddof = options.ddof.value_or(traits_of(operation).usual_ddof);
  validate(operation, x, y, result, ddof, state.device);
  const Reduction reduction{.needs = needs_of(operation),
                            .x = x,
                            .y = y == nullptr ? VectorView() : *y,
                            .two_vectors = y != nullptr};
  SpreadTask task{};
  task.result = cuda::result_task(
      reduction,
      {operation, ddof, const_cast<std::byte*>(static_cast<const std::byte*>(result.data())), result.type()},
      Overflow::error);
  task.words = state.words;
  const Needs& needs = reduction.needs;
  if (needs.values) task.sum[task.sums++] = 0;
  if (needs.magnitudes) task.sum[task.sums++] = 1;
  if (needs.squares || needs.products) task.sum[task.sums++] = 2;
  task.has_extrema = needs.extrema;
  task.own = add_up(state, reduction, state.size == 1 ? &task.result : nullptr, stream);
  if (task.own != nullptr) add_over_ranks(state, task, stream);
}

}  // namespace foldline::nccl
