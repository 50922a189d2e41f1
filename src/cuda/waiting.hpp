// Blocks that wait for others of their launch.
#pragma once

namespace foldline::cuda {

/// Launches that a device can run at a time (CUDA C++ Programming Guide, "Compute Capabilities": resident
/// grids per device). Some blocks of a launch may wait for its others only if there is room for another block
/// beside the waiting ones of so many launches, for then those that are waited for come to run.
inline constexpr int most_grids = 128;

}  // namespace foldline::cuda
