// The launch that is running. One thread of the host runs all: which thread of the kernel runs is known to
// all, and counts do not depend on chance.
#pragma once

#include <simt/error.hpp>
#include <simt/options.hpp>
#include <simt/simt.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/counters.hpp"
#include "runtime/image.hpp"
#include "runtime/state.hpp"
#include "runtime/timeline.hpp"

namespace simt {

class Memory;

/// Bytes of an event buffer of one lane are few enough that those of a warp fit the cache.
constexpr std::size_t trace_events = 512;

constexpr std::size_t most_dynamic_shared = 227 * 1024;
extern "C" unsigned char simt_dynamic_shared[];

/// The running launch.
struct Machine {
  const void* kernel = nullptr;
  ThreadBody body = nullptr;
  void* context = nullptr;
  std::span<const Argument> arguments;
  dim3 grid, block;
  std::uint64_t blocks = 0;           ///< of the grid
  std::vector<std::uint64_t> sample;  ///< the numbers of those that run; empty: all
  std::uint32_t threads = 0;
  std::size_t dynamic_bytes = 0;
  Options options;
  std::uint64_t resident = 1;  ///< how many blocks the device holds at once
  std::uint32_t first_sequence = 1;

  Memory* memory = nullptr;
  const BasicBlock* basic_blocks = nullptr;    ///< by number
  Range static_shared;                         ///< of the kernel's image
  std::size_t static_from = 0, static_to = 0;  ///< what blocks have used of it, from its begin
  const Image* image = nullptr;
  Block* loaded = nullptr;  ///< whose shared memory is in place
  std::vector<std::unique_ptr<Block>> live;
  std::uint64_t progress = 0;  ///< grows with whatever can end another thread's wait

  Counters counters;
  std::vector<WarpRecorder> recorders;  ///< of the warps of block 0; none if nobody wants to see them
  std::optional<Error> error;
  std::mt19937_64 random;
};

extern Machine running_machine;
inline Machine& machine() { return running_machine; }

/// The thread that runs; null while the host does.
extern constinit thread_local Lane* current_lane __attribute__((tls_model("initial-exec")));

/// Notes the first error of the launch; an Error with block and thread of the lane.
Error& fail(ErrorKind kind, const Lane* lane, std::uintptr_t site, std::string text);
/// Ends the running thread after fail().
[[noreturn]] void stop_lane();

/// Runs a block until it ends, waits or spins. False if it ended.
bool run_turn(Block& block);
/// A pause of the running lane whose trace is full.
void trace_is_full();

}  // namespace simt
