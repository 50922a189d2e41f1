// The threads, warps and blocks that are alive.
#pragma once

#include <vector_types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/simt_stack.hpp"
#include "runtime/event.hpp"
#include "runtime/fiber.hpp"
#include "runtime/order.hpp"

namespace simt {

constexpr unsigned warp_lanes = 32;

enum class LaneState : std::uint8_t {
  ready,
  at_barrier,
  in_warp_function,
  at_clock,
  ended,
  failed  ///< an error was found; it never goes on
};

struct Block;
struct Suspect;

/// What a thread wants from the others, or from the scheduler.
struct Request {
  std::uintptr_t site = 0;  ///< the address behind the call
  int function = 0;         ///< of the warp
  std::uint32_t mask = 0, argument = 0;
  int width = warp_lanes;
  std::uint64_t value = 0;            ///< in, then out
  const char* text = nullptr;         ///< of an instruction for matrices
  std::uint64_t* operands = nullptr;  ///< of it
};

/// A copy that has been asked for, and not waited for.
struct PendingCopy {
  void* to;
  const void* from;
  std::uint32_t bytes, zeros, group;
  std::uintptr_t site;
};

/// What is looked at most often comes first: it is in one or two lines of the cache.
struct alignas(64) Lane {
  Lane();
  Lane(Lane&&) noexcept;
  ~Lane();

  Event* next = nullptr;   ///< of its trace
  Event* limit = nullptr;  ///< where the trace is full; room for one more is behind it
  std::uintptr_t stack = 0;
  std::uint64_t stamp = 0;  ///< see checks.hpp
  Block* block = nullptr;
  Fiber fiber;
  std::unique_ptr<Suspect> suspect;  ///< of its accesses
  std::uint32_t number = 0;          ///< in its block
  LaneState state = LaneState::ready;
  bool spins = false;   ///< its last turn did nothing but look at the same places
  bool polled = false;  ///< looked in this turn at what others may change
  Request request;
  std::unique_ptr<LaneSync> sync;
  uint3 index{};
  std::uintptr_t spin_site = 0, spin_address = 0;
  std::uint32_t copy_group = 0;
  std::vector<PendingCopy> copies;
  std::vector<Event> kept;  ///< of its trace, from turns before: its warp has not come to them
};

struct Warp {
  model::SimtStack stack;
  std::uint32_t synchronised = 0;  ///< the block's time at the last __syncwarp of all lanes
  /// For lanes that synchronise in parts: [a][b] is the time up to which lane a knows lane b.
  std::unique_ptr<std::array<std::array<std::uint32_t, warp_lanes>, warp_lanes>> known;
};

struct Block {
  explicit Block(std::size_t most_threads) : stacks(most_threads) {}

  std::uint64_t number = 0;    ///< in its grid
  std::uint32_t sequence = 0;  ///< of all blocks since the shadow memory was cleared
  uint3 index{};
  std::uint32_t time = 1;          ///< counts what synchronises some of its threads
  std::uint32_t barrier_time = 1;  ///< of the last barrier
  std::uint64_t issued = 0;        ///< instructions
  std::uint64_t memory_turns = 0;
  std::uint32_t threads = 0;
  bool spins = false;  ///< its last turn changed nothing
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  Stacks stacks;
  std::vector<std::byte> shared;  ///< its shared memory and what is known of it, while another block runs
  std::size_t static_from = 0, static_to = 0;  ///< the part of the static shared memory that is in it
  std::unique_ptr<LaneSync> sync;
  bool has_sync = false;  ///< a lane has used a fence or a flag
};

}  // namespace simt
