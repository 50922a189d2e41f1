// Numbers from spread data: each rank's exact sum by the CUDA backend, its words added up over the ranks, one
// rounding on each. Scans of spread data: the words of the lower ranks are what a rank's scan begins with.
#include "api/scan_checks.hpp"
#include "api/validate.hpp"
#include "contract/async_backend.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/runtime/properties.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/workspace/workspace_state.hpp"
#include "foldline/error.hpp"
#include "nccl/communicator_state.hpp"
#include "nccl/library.hpp"
#include "nccl/spread.hpp"

namespace foldline::nccl {

namespace {

template <class View>
void require_reachable(const Communicator::State& state, const View& view) {
  if (view.size() > 0) cuda::require_reachable("a vector", view.data(), state.device);
}

void validate(const Communicator::State& state, Operation operation, const VectorView& x, const VectorView* y,
              const void* result, ElementType type) {
  if (y == nullptr) {
    foldline::validate(operation, x);
  } else {
    foldline::validate(operation, x, *y);
    require_same_type(operation, x, *y);
  }
  if (!is_known(type) || !is_floating(type)) refuse(operation, "the result must be of a floating-point type");
  require_reachable(state, x);
  if (y != nullptr) require_reachable(state, *y);
  cuda::require_reachable("the result", result, state.device);
}

/// This rank's exact sum. With `round`, a single launch also rounds it; returns null if it did.
const cuda::KernelResult* add_up(const Communicator::State& state, const Reduction& reduction,
                                 const cuda::ResultTask* round, cudaStream_t stream) {
  const auto& memory = state_of(*state.workspace);
  const cuda::Launch launch{memory.reduction, memory.part, stream, memory.limits.multiprocessors, round};
  Reduction rest = reduction;
  while (rest.x.size() > 0) {
    const bool is_first = rest.x.size() == reduction.x.size();
    const std::int64_t done = cuda::launch_reduce(rest, launch);
    if (done == reduction.x.size()) return round != nullptr ? nullptr : memory.part;
    cuda::launch_add_to_total(memory.part, memory.total, is_first, stream);
    rest.x = rest.x.part(done, rest.x.size() - done);
    if (rest.two_vectors) rest.y = rest.y.part(done, rest.y.size() - done);
  }
  return memory.total;
}

/// What all ranks must agree on; see SpreadTask.
std::uint64_t call_of(const SpreadTask& task) {
  constexpr std::uint64_t is_spread = 1 << 18;  // no all-reduce of arrays, whose call has other bits
  return static_cast<std::uint64_t>(task.result.elements) |
         static_cast<std::uint64_t>(task.result.result.operation) << 8 |
         static_cast<std::uint64_t>(task.kind) << 16 | is_spread |
         static_cast<std::uint64_t>(task.result.result.type) << 20;
}

void end_over_ranks(const Communicator::State& state, SpreadTask& task, cudaStream_t stream) {
  task.rank = state.rank;
  task.size = state.size;
  task.call = call_of(task);
  if (state.has_peers && state.options.transport != Transport::nccl)
    return launch_spread_over_peers(task, peer_task(state), stream);
  gather_records(state, task, stream);
}

cuda::ScanQueue scan_queue(const Communicator::State& state, cudaStream_t stream) {
  const auto& memory = state_of(*state.workspace);
  return {memory.scan, stream, memory.has_pipelines, memory.limits.multiprocessors, nullptr};
}

ScanState state_before(const Scalar* init) { return init == nullptr ? ScanState() : state_after(*init); }

}  // namespace

void gather_records(const Communicator::State& state, SpreadTask task, cudaStream_t stream) {
  task.rank = state.rank;
  task.size = state.size;
  task.failure = state.failure;
  task.record = state.record;
  launch_pack(task, stream);
  library().check(library().all_gather(task.record, task.record + record_words, record_words, Library::int64,
                                       state.comm, stream),
                  "gathering sums");
  launch_end(task, stream);
}

void reduce_spread(Communicator::State& state, Operation operation, const VectorView& x, const VectorView* y,
                   std::byte* result, ElementType type, const ReduceOptions& options, cudaStream_t stream) {
  state.check();
  const cuda::DeviceGuard guard(state.device);
  validate(state, operation, x, y, result, type);
  const Reduction reduction{.needs = needs_of(operation),
                            .x = x,
                            .y = y == nullptr ? VectorView() : *y,
                            .two_vectors = y != nullptr};
  const std::int64_t ddof = checked_ddof(operation, options.ddof);
  SpreadTask task{};
  task.kind = operation == Operation::statistics ? SpreadKind::statistics : SpreadKind::number;
  task.result = cuda::result_task(reduction, {operation, ddof, result, type}, Overflow::error);
  task.argument = static_cast<std::uint64_t>(ddof);
  const Needs& needs = reduction.needs;
  if (needs.values) task.sum[task.sums++] = 0;
  if (needs.magnitudes) task.sum[task.sums++] = 1;
  if (needs.squares || needs.products) task.sum[task.sums++] = 2;
  const bool is_alone = state.size == 1 && task.kind == SpreadKind::number;
  task.own = add_up(state, reduction, is_alone ? &task.result : nullptr, stream);
  if (task.own != nullptr) end_over_ranks(state, task, stream);
}

void scan_spread(Communicator::State& state, const VectorView& x, const MutableVectorView& out,
                 const Scalar* init, cudaStream_t stream) {
  const char* const name = init == nullptr ? "inclusive_scan" : "exclusive_scan";
  state.check();
  const cuda::DeviceGuard guard(state.device);
  validate_scan(name, x, out);
  if (!is_floating(out.type())) refuse(name, "the results must be of a floating-point type");
  require_reachable(state, x);
  require_reachable(state, out);
  const Scan scan{.x = x, .out = out, .exclusive = init != nullptr, .overflow = Overflow::error};
  const cuda::ScanQueue queue = scan_queue(state, stream);
  cuda::ScanCarry before = cuda::carry_of(state_before(init));
  if (state.size == 1) {
    if (x.size() > 0) cuda::queue_scan(scan, &before, Accuracy::exact, queue);
    return;
  }
  before.scanned = x.size() > 0 ? cuda::elements_before_pipelines(scan, queue) : 0;
  const Reduction reduction{.needs = needs_of(Operation::sum), .x = x, .y = {}, .two_vectors = false};
  SpreadTask task{};
  task.kind = init == nullptr ? SpreadKind::inclusive_scan : SpreadKind::exclusive_scan;
  task.result = cuda::result_task(reduction, {Operation::sum, 0, nullptr, out.type()}, Overflow::error);
  task.sums = 1;
  task.before = before;
  task.carry = cuda::carry_in(queue.workspace);
  task.argument = init == nullptr ? 0 : init->unsigned_integer();
  task.own = add_up(state, reduction, nullptr, stream);
  end_over_ranks(state, task, stream);
  if (x.size() > 0) cuda::queue_scan(scan, nullptr, Accuracy::exact, queue);
}

void load_scan_kernels(Communicator::State& state) {
  constexpr std::int64_t n = 64;
  void* memory = nullptr;
  cuda::check(cudaMalloc(&memory, (n + 1) * sizeof(double)), "allocating for a scan");
  cuda::check(cudaMemset(memory, 0, (n + 1) * sizeof(double)), "clearing memory");
  auto* const data = static_cast<std::byte*>(memory);
  const cuda::ScanQueue queue = scan_queue(state, cudaStreamLegacy);
  const ScanState nothing;
  const cuda::ScanCarry before = cuda::carry_of(nothing);
  for (const ElementType type :
       {ElementType::float64, ElementType::float32, ElementType::bfloat16, ElementType::int32})
    for (const std::int64_t offset : {std::int64_t{0}, size_of(type)}) {
      const ElementType to = is_floating(type) ? type : ElementType::float32;
      const Scan scan{.x = {data + offset, type, n},
                      .out = {data + offset, to, n},
                      .exclusive = false,
                      .overflow = Overflow::error};
      // With the carry in the workspace, as all scans of several ranks have it.
      cuda::queue_scan(scan, &before, Accuracy::exact, queue);
      if (offset == 0 && queue.has_pipelines && type != ElementType::bfloat16) {
        cuda::ScanCarry carry = before;
        carry.scanned = cuda::elements_before_pipelines(scan, queue);
        cuda::launch_set_carry(carry, queue.workspace, queue.stream);
        cuda::queue_scan(scan, nullptr, Accuracy::exact, queue);
      }
    }
  const cudaError_t error = cudaStreamSynchronize(cudaStreamLegacy);
  cudaFree(memory);
  cuda::check(error, "a first scan");
}

}  // namespace foldline::nccl
