// How launches are run.
#pragma once

#include <cstdint>

#include <simt/devices.hpp>

namespace simt {

/// In which order blocks and warps run. All are possible on a GPU; a right kernel does not depend on it.
enum class Order {
  in_order,  ///< blocks by their number, each to its end unless it waits
  reversed,
  hostile,  ///< at random, and blocks lose their turn at any moment
};

struct Options {
  DeviceModel device = default_device();
  Order order = Order::in_order;
  std::uint64_t seed = 1;            ///< of the hostile order
  bool checks = true;                ///< races and uninitialised reads; other errors are always found
  bool trace = true;                 ///< counts; without it, launches are faster
  bool lines = true;                 ///< counts for each source line
  std::uint64_t timeline_steps = 0;  ///< of each warp of the first block that LaunchReport has
  double watchdog_seconds = 20;      ///< without any progress, until a launch is said to hang

  /// Above 0 only so many blocks of each launch are run, for kernels whose blocks do not wait for each other:
  /// corners, edges and others of the grid. Counts are scaled to all blocks; results are incomplete.
  std::uint64_t sampled_blocks = 0;
};

Options& options();

}  // namespace simt
