// What the warps of one block did, step by step: for a picture of a small launch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

/// What a warp did at once: the instructions of a piece of code without branches, or one request.
struct Step {
  enum class Kind : std::uint8_t {
    code,
    global,
    shared,
    other_memory,  ///< constants and textures
    warp_function,
    fence,
    barrier
  };

  Kind kind = Kind::code;
  std::uint64_t time = 0;  ///< instructions of the warp before it, and of others while it waited for them
  std::uint32_t instructions = 0;           ///< of code, estimated
  std::uint32_t active = 0;                 ///< lanes that take part
  std::uint32_t ended = 0;                  ///< lanes that there are no longer, or never were
  std::uint64_t waits = 0;                  ///< at a barrier: until the last warp comes
  std::string what;                         ///< "load of `x`"
  std::uint32_t parts = 0;                  ///< sectors or turns of a request
  std::vector<std::uint64_t> sectors;       ///< of global memory, counted from the array's begin, in order
  std::array<std::uint8_t, 32> banks = {};  ///< of shared memory: how many different words each is asked for
  std::string file;
  int line = 0;
};

struct WarpTimeline {
  std::uint32_t warp = 0;
  std::vector<Step> steps;
  std::uint64_t left_out = 0;  ///< steps beyond Options::timeline_steps
};

}  // namespace simt
