// What a launch did, in the terms of the hardware's counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vector_types.h>
#include <simt/timeline.hpp>

namespace simt {

/// Accesses of one kind. A request is one instruction of a warp; parts are what the memory takes it in:
/// sectors of global memory, wavefronts of shared memory, turns of constant memory.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  ///< active lanes, summed over requests
  std::uint64_t bytes = 0;  ///< that lanes asked for
  std::uint64_t parts = 0;
  std::uint64_t ideal_parts = 0;  ///< if the same bytes were side by side

  Traffic& operator+=(const Traffic& other);
  /// Times a quotient, rounded.
  void scale(std::uint64_t by, std::uint64_t over);
};

struct Counts {
  std::uint64_t launches = 0, blocks = 0, warps = 0, threads = 0;
  std::uint64_t instructions = 0;       ///< of warps; estimated from the compiler's intermediate code
  std::uint64_t lane_instructions = 0;  ///< the same times active lanes
  std::uint64_t branches = 0, divergent_branches = 0;  ///< of warps
  std::uint64_t barriers = 0;                          ///< of warps: __syncthreads
  std::uint64_t warp_functions = 0;                    ///< shuffles, votes, __syncwarp
  std::uint64_t fences = 0;
  Traffic global_loads, global_stores, global_atomics;
  Traffic shared_loads, shared_stores, shared_atomics;
  Traffic constant_loads, texture_loads;
  Traffic asynchronous_copies;     ///< their reads of global memory
  std::uint64_t matrix_steps = 0;  ///< instructions of tensor cores

  Counts& operator+=(const Counts& other);
  void scale(std::uint64_t by, std::uint64_t over);
};

struct LineCounts {
  std::string file;
  int line = 0;
  Counts counts;
};

struct LaunchReport {
  std::string kernel;  ///< demangled, with its parameters
  dim3 grid, block;
  std::uint64_t shared_bytes = 0;  ///< dynamic
  Counts counts;
  std::vector<LineCounts> lines;        ///< those that did something, by file and line
  std::vector<WarpTimeline> timelines;  ///< of the warps of block 0, if Options::timeline_steps asks for them
};

/// All launches since the start or the last clear, in order.
std::vector<LaunchReport>& launches();

/// The sum over all launches.
Counts total_counts();

}  // namespace simt
