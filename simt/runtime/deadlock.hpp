// Blocks that wait for each other, or for blocks that never start.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/machine.hpp"

namespace simt {

/// `started`: how many blocks have had a place on the device.
void explain_deadlock(std::uint64_t started);

class Watchdog {
 public:
  /// After a turn of a lane that is not at its end. An error if nothing has been written for too long.
  void look(const Lane& lane);

 private:
  std::uint32_t turns_ = 0, launch_ = 0;
  std::uint64_t progress_ = 0;
  std::chrono::steady_clock::time_point since_ = {};
};

}  // namespace simt
