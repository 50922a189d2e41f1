// How ranks of one host come to reach each other's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nccl/communicator_state.hpp"

namespace foldline::nccl {

/// Ranks of one process, at most most_peers. Sets has_peers and returns it; false if a device does not reach
/// another.
bool connect_devices(const std::vector<std::unique_ptr<Communicator::State>>& states);

/// Allocates what the other ranks write to.
void make_mailbox(Communicator::State& state);

/// Waits for the other ranks, of other processes, to say so as well.
bool all_say_yes(Communicator::State& state, bool yes);

/// A rank of its own process with a mailbox, or none if there are too many ranks, through NCCL; waits for the
/// others. Sets has_peers, the same on all ranks.
void connect_processes(Communicator::State& state);

/// Gives other processes an allocation; waits for them.
void add_piece(Communicator::State& state, const void* data, std::int64_t bytes);

/// The registered piece that holds all of these bytes, or -1.
int piece_of(const Communicator::State& state, const void* data, std::int64_t bytes);

}  // namespace foldline::nccl
