// Accumulators of all ranks: gathered by NCCL as they are stored, and merged on the host.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/properties.hpp"
#include "foldline/error.hpp"
#include "nccl/communicator_state.hpp"
#include "nccl/library.hpp"

namespace foldline::nccl {

namespace {

/// What all ranks must agree on; other spread calls and sums of columns have one of these bits each.
std::uint64_t call_of(Operation operation) {
  constexpr std::uint64_t is_accumulator = 3 << 18;
  return is_accumulator | static_cast<std::uint64_t>(operation) << 8;
}

void wait(cudaStream_t stream) { cuda::check(cudaStreamSynchronize(stream), "waiting for accumulators"); }

/// Over peers' memory, where a rank that does not come is an error; NCCL would wait for it.
void agree(const Communicator::State& state, std::uint64_t call, cudaStream_t stream) {
  SpreadTask task{};
  task.kind = SpreadKind::agreement;
  task.rank = state.rank;
  task.size = state.size;
  task.call = call;
  launch_spread_over_peers(task, peer_task(state), stream);
  wait(stream);
  state.check();
}

/// All ranks' records, each with `own`, the call and an unused word.
std::vector<std::int64_t> gather(const Communicator::State& state, std::uint64_t call,
                                 std::span<const std::byte> own, cudaStream_t stream) {
  constexpr std::size_t bytes = record_words * sizeof(std::int64_t);
  const auto ranks = static_cast<std::size_t>(state.size);
  std::vector<std::int64_t> records(ranks * record_words);
  std::memcpy(records.data(), own.data(), own.size());
  records[spread_words] = static_cast<std::int64_t>(call);
  cuda::check(cudaMemcpyAsync(state.record, records.data(), bytes, cudaMemcpyHostToDevice, stream),
              "copying an accumulator");
  std::int64_t* const gathered = state.record + record_words;
  library().check(
      library().all_gather(state.record, gathered, record_words, Library::int64, state.comm, stream),
      "gathering accumulators");
  cuda::check(cudaMemcpyAsync(records.data(), gathered, ranks * bytes, cudaMemcpyDeviceToHost, stream),
              "copying accumulators");
  wait(stream);
  return records;
}

}  // namespace

void merge_accumulators(Communicator::State& state, Accumulator& accumulator, cudaStream_t stream) {
  state.check();
  if (state.size == 1) return;
  if (state.comm == nullptr)
    throw InvalidArgument(
        "all_reduce of an accumulator: these ranks have no NCCL, and all are in this process; merge() "
        "theirs");
  const cuda::DeviceGuard guard(state.device);
  const Operation operation = accumulator.operation();
  const std::uint64_t call = call_of(operation);
  const std::vector<std::byte> own = accumulator.serialise();
  if (own.size() > spread_words * sizeof(std::int64_t)) throw Error("an accumulator does not fit its record");
  if (state.has_peers && state.options.transport != Transport::nccl) agree(state, call, stream);
  const std::vector<std::int64_t> records = gather(state, call, own, stream);
  for (int rank = 0; rank < state.size; ++rank)
    if (records[static_cast<std::size_t>(rank) * record_words + spread_words] !=
        static_cast<std::int64_t>(call))
      *static_cast<volatile std::uint32_t*>(state.failure) = static_cast<std::uint32_t>(Failure::mismatch);
  state.check();
  Accumulator all(operation);
  for (int rank = 0; rank < state.size; ++rank) {
    const auto* const of_rank = &records[static_cast<std::size_t>(rank) * record_words];
    all.merge(Accumulator::deserialise(std::as_bytes(std::span(of_rank, spread_words)).first(own.size())));
  }
  accumulator = std::move(all);
}

}  // namespace foldline::nccl
