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
  std::uint64_t seed = 1;        ///< of the hostile order
  bool checks = true;            ///< races and uninitialised reads; other errors are always found
  bool trace = true;             ///< counts; without it, launches are faster
  bool lines = true;             ///< counts for each source line
  double watchdog_seconds = 20;  ///< without any progress, until a launch is said to hang

  /// With a stride above 1 only blocks 0, stride, 2 * stride, ... are run.
  std::uint64_t block_stride = 1;
};

Options& options();

}  // namespace simt
