#include "nccl/peer_memory.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/check.hpp"
#include "foldline/error.hpp"
#include "nccl/library.hpp"

namespace foldline::nccl {

namespace {

using cuda::check;
using cuda::DeviceGuard;
using State = Communicator::State;

/// What each rank tells all others, by NCCL; waits for them. `Fact` is plain data.
template <class Fact>
std::vector<Fact> exchange(State& state, const Fact& own) {
  const auto size = static_cast<std::size_t>(state.size);
  const cuda::Buffer memory(static_cast<std::int64_t>(sizeof(Fact) * (size + 1)),
                            "allocating for an exchange");
  std::byte* const all = memory.data() + sizeof(Fact);
  std::vector<Fact> facts(size);
  check(cudaMemcpyAsync(memory.data(), &own, sizeof(Fact), cudaMemcpyHostToDevice, state.messages),
        "an exchange");
  library().check(
      library().all_gather(memory.data(), all, sizeof(Fact), Library::bytes, state.comm, state.messages),
      "an exchange");
  check(cudaMemcpyAsync(facts.data(), all, sizeof(Fact) * size, cudaMemcpyDeviceToHost, state.messages),
        "an exchange");
  check(cudaStreamSynchronize(state.messages), "an exchange");
  return facts;
}

/// Tells hosts, and containers with other devices, apart.
std::array<char, 160> name_of_host() {
  std::array<char, 160> name{};
  gethostname(name.data(), 100);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  boot.resize(50);
  std::memcpy(name.data() + 104, boot.data(), boot.size());
  return name;
}

struct Allocation {
  cudaIpcMemHandle_t handle;
  std::int64_t offset, bytes;  // of the piece within the allocation
  std::int32_t is_good;
};

/// The start of the allocation that holds an address, by the driver, which the runtime has loaded; null if
/// there is none.
const std::byte* start_of_allocation(const void* data) {
  using Range = int (*)(unsigned long long*, std::size_t*, unsigned long long);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto range =
      driver == nullptr ? nullptr : reinterpret_cast<Range>(dlsym(driver, "cuMemGetAddressRange_v2"));
  unsigned long long start = 0;
  std::size_t bytes = 0;
  if (range == nullptr || range(&start, &bytes, reinterpret_cast<std::uintptr_t>(data)) != 0) return nullptr;
  return reinterpret_cast<const std::byte*>(start);
}

Allocation allocation_of(const void* data, std::int64_t bytes) {
  Allocation result{};
  const std::byte* const start = start_of_allocation(data);
  result.is_good =
      start != nullptr && cudaIpcGetMemHandle(&result.handle, const_cast<std::byte*>(start)) == cudaSuccess;
  cudaGetLastError();
  result.offset = start == nullptr ? 0 : static_cast<const std::byte*>(data) - start;
  result.bytes = bytes;
  return result;
}

/// Where other ranks' allocations are in this process, null for its own. False if one cannot be reached.
bool open_all(State& state, const std::vector<Allocation>& all, std::vector<std::byte*>& where) {
  where.assign(all.size(), nullptr);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) == state.rank) continue;
    void* memory = nullptr;
    if (all[i].is_good == 0 ||
        cudaIpcOpenMemHandle(&memory, all[i].handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    state.opened.push_back(memory);
    where[i] = static_cast<std::byte*>(memory) + all[i].offset;
  }
  return true;
}

}  // namespace

void make_mailbox(State& state) {
  void* memory = nullptr;
  check(
      cudaMalloc(&memory, static_cast<std::size_t>(bytes_of_mailbox(state.size, state.options.most_blocks))),
      "allocating a mailbox");
  state.own_mailbox = static_cast<Mailbox*>(memory);
  check(cudaMemset(memory, 0, sizeof(Mailbox)), "clearing a mailbox");
  check(cudaDeviceSynchronize(), "clearing a mailbox");
}

bool all_say_yes(State& state, bool yes) {
  for (const std::int32_t other : exchange<std::int32_t>(state, yes ? 1 : 0))
    if (other == 0) return false;
  return true;
}

bool connect_devices(const std::vector<std::unique_ptr<State>>& states) {
  for (const auto& from : states)
    for (const auto& to : states) {
      int can = from->device == to->device ? 1 : 0;
      if (can == 0) check(cudaDeviceCanAccessPeer(&can, from->device, to->device), "asking for peer access");
      if (can == 0) return false;
    }
  for (const auto& state : states) {
    const DeviceGuard guard(state->device);
    for (const auto& other : states) {
      if (other->device == state->device) continue;
      const cudaError_t error = cudaDeviceEnablePeerAccess(other->device, 0);
      if (error != cudaErrorPeerAccessAlreadyEnabled) check(error, "enabling peer access");
      cudaGetLastError();
    }
    make_mailbox(*state);
  }
  for (const auto& state : states) {
    for (const auto& other : states) state->mailbox[other->rank] = other->own_mailbox;
    state->has_peers = true;
  }
  return true;
}

void connect_processes(State& state) {
  const DeviceGuard guard(state.device);
  const auto name = name_of_host();
  bool same_host = state.own_mailbox != nullptr;
  for (const auto& other : exchange(state, name)) same_host = same_host && other == name;
  if (!same_host) {  // the same on all ranks
    cudaFree(state.own_mailbox);
    state.own_mailbox = nullptr;
    return;
  }
  std::vector<std::byte*> where;
  const bool reached =
      open_all(state, exchange(state, allocation_of(state.own_mailbox, sizeof(Mailbox))), where);
  if (!all_say_yes(state, reached)) return;
  for (int rank = 0; rank < state.size; ++rank)
    state.mailbox[rank] = rank == state.rank
                              ? state.own_mailbox
                              : reinterpret_cast<Mailbox*>(where[static_cast<std::size_t>(rank)]);
  void* table = nullptr;
  check(cudaMalloc(&table, sizeof(std::byte*) * most_peers * most_pieces), "allocating a table of memory");
  state.piece_table = static_cast<const std::byte**>(table);
  check(cudaMemset(table, 0, sizeof(std::byte*) * most_peers * most_pieces), "clearing a table of memory");
  check(cudaDeviceSynchronize(), "clearing a table of memory");
  state.has_peers = true;
}

void add_piece(State& state, const void* data, std::int64_t bytes) {
  if (state.pieces.size() == most_pieces)
    throw InvalidArgument("more than " + std::to_string(most_pieces) + " registered pieces of memory");
  std::vector<std::byte*> where;
  const bool reached = open_all(state, exchange(state, allocation_of(data, bytes)), where);
  if (!all_say_yes(state, reached))
    throw DeviceError("memory of a rank cannot be shared with other processes; allocate it with cudaMalloc");
  const std::size_t piece = state.pieces.size();
  for (std::size_t rank = 0; rank < where.size(); ++rank)
    check(cudaMemcpy(state.piece_table + rank * most_pieces + piece, &where[rank], sizeof where[rank],
                     cudaMemcpyHostToDevice),
          "registering memory");
  state.pieces.push_back({static_cast<const std::byte*>(data), bytes});
  all_say_yes(state, true);  // nobody uses it before all have it
}

int piece_of(const State& state, const void* data, std::int64_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  for (std::size_t i = state.pieces.size(); i-- > 0;)
    if (begin >= state.pieces[i].data && begin + bytes <= state.pieces[i].data + state.pieces[i].bytes)
      return static_cast<int>(i);
  return -1;
}

}  // namespace foldline::nccl
