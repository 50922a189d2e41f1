// The context of rungs that call foldline: queued like the kernels of other rungs.
#pragma once

#include <foldline/async.hpp>

namespace foldline::ladder {

/// The default stream.
inline async::Queue library_queue() {
  static DeviceWorkspace workspace(Device::cuda());
  return {.workspace = &workspace};
}

/// Integers wrap, as in the rungs.
inline constexpr Context library_context = {.overflow = Overflow::wrap};

inline constexpr Device library_device = Device::cuda();

}  // namespace foldline::ladder
