#include "foldline/nccl/communicator.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "api/validate.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/properties.hpp"
#include "foldline/error.hpp"
#include "nccl/columns.hpp"
#include "nccl/communicator_state.hpp"
#include "nccl/launch.hpp"
#include "nccl/library.hpp"
#include "nccl/peer_memory.hpp"
#include "nccl/spread.hpp"

namespace foldline::nccl {

namespace {

using cuda::DeviceGuard;

void validate(const Options& options) {
  if (!(options.time_limit > 0 && options.time_limit < 1e6))
    throw InvalidArgument("a time limit of " + std::to_string(options.time_limit) +
                          " s; it must be in (0, 1e6)");
  if (options.chunk_bytes < std::int64_t{1} << 20 || options.chunk_bytes > std::int64_t{1} << 40)
    throw InvalidArgument("chunks of " + std::to_string(options.chunk_bytes) +
                          " bytes; they must have 2^20 to 2^40");
  if (options.most_blocks < 0 || options.most_blocks > most_blocks)
    throw InvalidArgument(std::to_string(options.most_blocks) + " blocks; there may be 0 to " +
                          std::to_string(most_blocks));
  if (options.send_from < -1)
    throw InvalidArgument("send_from is " + std::to_string(options.send_from) + "; it is -1, or bytes");
}

/// Whether the arrays of a call lie in memory that the other processes were given.
bool is_registered(const Communicator::State& state, const void* data, std::int64_t bytes) {
  return piece_of(state, data, bytes) >= 0;
}

std::uint64_t address_for_peers(const Communicator::State& state, const void* data, std::int64_t bytes) {
  if (state.one_process) return reinterpret_cast<std::uintptr_t>(data);
  if (bytes == 0) return 0;
  const int piece = piece_of(state, data, bytes);
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(data) -
                                                 state.pieces[static_cast<std::size_t>(piece)].data);
  return offset << piece_bits_of_address | static_cast<std::uint64_t>(piece);
}

/// Whether parts of arrays are written to the rank that adds them up, or read by it.
bool is_sent(const Communicator::State& state, const ElementWise& what, std::int64_t bytes_of_array) {
  if (state.size == 1) return false;
  if (state.options.send_from >= 0) return bytes_of_array >= state.options.send_from;
  // Of several arrays their sum is sent, in twice the bytes of an array; of doubles there is no gain for two.
  if (what.arrays.size() > 1)
    return bytes_of_array >= 16 << 20 && (what.type != ElementType::float64 || what.arrays.size() > 2);
  return state.size > 2 && bytes_of_array >= 32 << 20;
}

void reduce_over_peers(const Communicator::State& state, const ElementWise& what) {
  const std::int64_t of_out = what.count * size_of(what.type),
                     of_array = of_out * (what.scatters ? state.size : 1);
  const bool sent = is_sent(state, what, of_array);
  PeerTask task = peer_task(state);
  task.arrays = static_cast<int>(what.arrays.size());
  task.scatters = what.scatters;
  task.what = static_cast<std::uint64_t>(what.type) | static_cast<std::uint64_t>(task.arrays) << 8 |
              (what.scatters ? 1u << 16 : 0u) | (sent ? 1u << 17 : 0u);
  task.count = what.count;
  task.out = what.out;
  // Of a reduce-scatter nobody else writes to the result.
  task.out_address = what.scatters && !state.one_process ? 0 : address_for_peers(state, what.out, of_out);
  for (std::size_t i = 0; i < what.arrays.size(); ++i) {
    task.in[i] = what.arrays[i];
    task.in_address[i] = address_for_peers(state, what.arrays[i], of_array);
  }
  with_type(what.type,
            [&]<class T>(T) { launch_over_peers<T>(task, state.options.most_blocks, sent, what.stream); });
}

/// Over peers' memory, or by messages: the same on all ranks, if arrays are registered on all or on none.
bool goes_over_peers(const Communicator::State& state, const ElementWise& what) {
  if (!state.has_peers || state.options.transport == Transport::nccl) return false;
  if (state.one_process || what.count == 0) return true;
  const std::int64_t of_out = what.count * size_of(what.type),
                     of_array = of_out * (what.scatters ? state.size : 1);
  return (what.scatters || is_registered(state, what.out, of_out)) &&
         std::ranges::all_of(what.arrays,
                             [&](const void* data) { return is_registered(state, data, of_array); });
}

void reduce_elements(Communicator::State& state, const ElementWise& what) {
  state.check();
  if (!is_floating(what.type) || !is_known(what.type))
    throw InvalidArgument("an all-reduce of " + std::string(name_of(what.type)) +
                          "; NCCL's own is exact for integers");
  if (what.count < 0)
    throw InvalidArgument("an all-reduce of " + std::to_string(what.count) +
                          " elements; a size is 0 or more");
  if (what.count > (std::int64_t{1} << 40) / state.size)
    throw InvalidArgument("an all-reduce of " + std::to_string(what.count) +
                          " elements; the limit is 2^40 of all ranks");
  if (what.arrays.empty() || what.arrays.size() > most_arrays)
    throw InvalidArgument(std::to_string(what.arrays.size()) + " arrays of a rank; there may be 1 to " +
                          std::to_string(most_arrays));
  if (static_cast<std::int64_t>(what.arrays.size()) * state.size > most_terms_of_sum)
    throw InvalidArgument("an all-reduce of more than " + std::to_string(most_terms_of_sum) + " arrays");
  const auto is_bad = [&](const void* data) {
    return data == nullptr ||
           reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(what.type)) != 0;
  };
  if (what.count > 0 && (is_bad(what.out) || std::ranges::any_of(what.arrays, is_bad)))
    throw InvalidArgument("an array is null or not at a multiple of its elements' size");
  const DeviceGuard guard(state.device);
  if (goes_over_peers(state, what)) return reduce_over_peers(state, what);
  if (state.received == nullptr)
    throw InvalidArgument(
        "arrays that other ranks cannot reach; register_memory() lets other processes reach them");
  reduce_by_messages(state, what);
}

/// Does something on the ranks of this process. If it fails on one of any process, all throw.
template <class Work>
void on_every_rank(const std::vector<std::unique_ptr<Communicator::State>>& states, const Work& work) {
  std::exception_ptr failure;
  try {
    for (const auto& state : states) {
      const DeviceGuard guard(state->device);
      work(*state);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const DeviceGuard guard(states[0]->device);
  const bool all_good =
      states[0]->one_process ? failure == nullptr : all_say_yes(*states[0], failure == nullptr);
  if (failure != nullptr) std::rethrow_exception(failure);
  if (!all_good)
    throw DeviceError("another rank lacks what it needs, such as memory; its own error says what");
}

}  // namespace

PeerTask peer_task(const Communicator::State& state) {
  PeerTask task{};
  std::copy(std::begin(state.mailbox), std::end(state.mailbox), task.mailbox);
  task.failure = state.failure;
  task.pieces = state.piece_table;
  task.time_limit = static_cast<std::uint64_t>(state.options.time_limit * 1e9);
  task.rank = state.rank;
  task.size = state.size;
  return task;
}

Communicator::State::~State() {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return;
  cudaDeviceSynchronize();
  for (void* const memory : opened) cudaIpcCloseMemHandle(memory);
  cudaFree(own_mailbox);
  cudaFree(piece_table);
  cudaFree(received);
  workspace.reset();
  cudaFree(record);
  cudaFree(columns);
  if (failure != nullptr) cudaFreeHost(failure);
  for (const cudaStream_t stream : {messages, sums})
    if (stream != nullptr) cudaStreamDestroy(stream);
  for (const cudaEvent_t event : {begin, message_done[0], message_done[1], sum_done[0], sum_done[1], end})
    if (event != nullptr) cudaEventDestroy(event);
  cudaSetDevice(before);
}

void Communicator::State::check() const {
  switch (static_cast<Failure>(*static_cast<volatile std::uint32_t*>(failure))) {
    case Failure::none:
      break;
    case Failure::time_limit:
      throw DeviceError("a rank did not come within " + std::to_string(options.time_limit) +
                        " s; see whether all ranks make the same calls, and whether one has died");
    case Failure::mismatch:
      throw DeviceError(
          "ranks made different calls: operations, types, numbers or sizes of arrays, ddof or init differ");
  }
  if (comm == nullptr) return;
  int status = 0;
  library().check(library().async_error(comm, &status), "asking for errors");
  constexpr int in_progress = 7;
  if (status != in_progress) library().check(status, "a call");
}

void Communicator::State::make_streams() {
  cuda::check(cudaStreamCreateWithFlags(&messages, cudaStreamNonBlocking), "making a stream");
  cuda::check(cudaStreamCreateWithFlags(&sums, cudaStreamNonBlocking), "making a stream");
  for (cudaEvent_t* const event :
       {&begin, &message_done[0], &message_done[1], &sum_done[0], &sum_done[1], &end})
    cuda::check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "making an event");
}

void Communicator::State::allocate() {
  void* memory = nullptr;
  cuda::check(cudaHostAlloc(&memory, sizeof *failure, cudaHostAllocPortable | cudaHostAllocMapped),
              "allocating a flag");
  failure = static_cast<std::uint32_t*>(memory);
  *failure = 0;
  constexpr int usual_blocks = 96;  // more are faster by less than 1 %
  if (options.most_blocks == 0)
    options.most_blocks = std::min(usual_blocks, cuda::multiprocessors_of(device));
  allocate_for_sums();
  load_kernels<half>();
  load_kernels<bfloat16>();
  load_kernels<float>();
  load_kernels<double>();
}

void Communicator::State::allocate_for_messages() {
  void* memory = nullptr;
  cuda::check(cudaMalloc(&memory, static_cast<std::size_t>(2 * options.chunk_bytes)),
              "allocating two chunks");
  received = static_cast<std::byte*>(memory);
}

void Communicator::State::allocate_for_sums() {
  load_spread_kernels();
  void* memory = nullptr;
  const auto records = static_cast<std::size_t>(size) + 1;
  cuda::check(cudaMalloc(&memory, records * record_words * sizeof(std::int64_t)), "allocating for sums");
  record = static_cast<std::int64_t*>(memory);
  load_columns_kernels();
  cuda::check(cudaMalloc(&memory, most_columns * column_words * sizeof(std::int64_t)),
              "allocating for sums of columns");
  columns = static_cast<std::int64_t*>(memory);
  workspace.emplace(Device::cuda(device));
  load_scan_kernels(*this);
}

Communicator::Communicator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

int Communicator::rank() const { return state_->rank; }
int Communicator::size() const { return state_->size; }
int Communicator::device() const { return state_->device; }
bool Communicator::has_peers() const { return state_->has_peers; }
void Communicator::check() const { state_->check(); }

std::vector<Communicator> Communicator::connect(std::span<void* const> comms, const Options& options) {
  validate(options);
  if (comms.empty()) throw InvalidArgument("no NCCL communicator");
  const Library& nccl = library();
  std::vector<std::unique_ptr<State>> states;
  for (void* const comm : comms) {
    if (comm == nullptr) throw InvalidArgument("an NCCL communicator is null");
    auto state = std::make_unique<State>();
    state->comm = comm;
    state->options = options;
    state->options.chunk_bytes =
        options.chunk_bytes / 1024 * 1024;  // so that parts lie at multiples of 16 bytes
    nccl.check(nccl.comm_count(comm, &state->size), "asking for the number of ranks");
    nccl.check(nccl.comm_rank(comm, &state->rank), "asking for the rank");
    nccl.check(nccl.comm_device(comm, &state->device), "asking for the device");
    state->one_process = static_cast<int>(comms.size()) == state->size;
    if (!state->one_process && comms.size() != 1)
      throw InvalidArgument(std::to_string(comms.size()) + " of " + std::to_string(state->size) +
                            " communicators; a process gives its only one, or all that there are");
    states.push_back(std::move(state));
  }
  for (const auto& state : states) {
    const DeviceGuard guard(state->device);
    state->make_streams();
  }
  on_every_rank(states, [&](State& state) {
    state.allocate();
    if (options.transport != Transport::nccl && !state.one_process && state.size <= most_peers)
      make_mailbox(state);
  });
  if (options.transport != Transport::nccl) {
    if (!states[0]->one_process)
      connect_processes(*states[0]);
    else if (states[0]->size <= most_peers)
      connect_devices(states);
  }
  // In one process with peers' memory nothing goes by messages.
  if (options.transport != Transport::peers && !(states[0]->one_process && states[0]->has_peers))
    on_every_rank(states, [](State& state) { state.allocate_for_messages(); });
  if (options.transport == Transport::peers && !states[0]->has_peers)
    throw InvalidArgument("the ranks' devices do not reach each other's memory, or there are more than " +
                          std::to_string(most_peers));
  std::vector<Communicator> result;
  for (auto& state : states) result.push_back(Communicator(std::move(state)));
  return result;
}

std::vector<Communicator> Communicator::of_devices(std::span<const int> devices, const Options& options) {
  validate(options);
  if (devices.empty() || devices.size() > most_peers)
    throw InvalidArgument(std::to_string(devices.size()) + " devices; there may be 1 to " +
                          std::to_string(most_peers));
  std::vector<std::unique_ptr<State>> states;
  for (const int device : devices) {
    auto state = std::make_unique<State>();
    state->rank = static_cast<int>(states.size());
    state->size = static_cast<int>(devices.size());
    state->device = device;
    state->options = options;
    const DeviceGuard guard(device);
    state->allocate();
    states.push_back(std::move(state));
  }
  if (!connect_devices(states)) throw InvalidArgument("the devices do not reach each other's memory");
  std::vector<Communicator> result;
  for (auto& state : states) result.push_back(Communicator(std::move(state)));
  return result;
}

void Communicator::register_memory(const void* data, std::int64_t bytes) {
  if (data == nullptr || bytes <= 0) throw InvalidArgument("memory to register is null or has no bytes");
  if (state_->one_process || !state_->has_peers) return;
  const DeviceGuard guard(state_->device);
  add_piece(*state_, data, bytes);
}

void Communicator::all_reduce(std::span<const void* const> arrays, void* out, std::int64_t n,
                              ElementType type, void* stream) {
  reduce_elements(*state_, {arrays, out, n, type, false, static_cast<cudaStream_t>(stream)});
}

void Communicator::reduce_scatter(std::span<const void* const> arrays, void* out, std::int64_t n,
                                  ElementType type, void* stream) {
  reduce_elements(*state_, {arrays, out, n, type, true, static_cast<cudaStream_t>(stream)});
}

namespace {
std::byte* place_of(Operation operation, const MutableVectorView& result) {
  if (operation == Operation::statistics) refuse(operation, "not one number; see Communicator::statistics");
  if (result.size() != 1) refuse(operation, "the result is one element");
  return result.at(0);
}
}  // namespace

void Communicator::reduce(Operation operation, const VectorView& x, const MutableVectorView& result,
                          const ReduceOptions& options, void* stream) {
  reduce_spread(*state_, operation, x, nullptr, place_of(operation, result), result.type(), options,
                static_cast<cudaStream_t>(stream));
}

void Communicator::reduce(Operation operation, const VectorView& x, const VectorView& y,
                          const MutableVectorView& result, void* stream) {
  reduce_spread(*state_, operation, x, &y, place_of(operation, result), result.type(), {},
                static_cast<cudaStream_t>(stream));
}

void Communicator::statistics(const VectorView& x, Statistics<double, double, double>* result,
                              const ReduceOptions& options, void* stream) {
  if (result == nullptr) refuse(Operation::statistics, "the result is null");
  reduce_spread(*state_, Operation::statistics, x, nullptr, reinterpret_cast<std::byte*>(result),
                ElementType::float64, options, static_cast<cudaStream_t>(stream));
}

void Communicator::column_sums(const MatrixView& rows, const MutableVectorView& out, void* stream) {
  sum_columns(*state_, rows, out, static_cast<cudaStream_t>(stream));
}

void Communicator::all_reduce(Accumulator& accumulator, void* stream) {
  merge_accumulators(*state_, accumulator, static_cast<cudaStream_t>(stream));
}

void Communicator::inclusive_scan(const VectorView& x, const MutableVectorView& out, void* stream) {
  scan_spread(*state_, x, out, nullptr, static_cast<cudaStream_t>(stream));
}

void Communicator::exclusive_scan(const VectorView& x, const MutableVectorView& out, const Scalar& init,
                                  void* stream) {
  scan_spread(*state_, x, out, &init, static_cast<cudaStream_t>(stream));
}

}  // namespace foldline::nccl
