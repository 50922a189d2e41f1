// The context of rungs that call foldline: queued like the kernels of other rungs.
#pragma once

#include <foldline/async.hpp>

namespace foldline::ladder {

/// A context for foldline::async in the default stream. Integers wrap, as in the rungs.
inline Context library_context() {
  static DeviceWorkspace workspace(Device::cuda());
  return {.overflow = Overflow::wrap, .device = Device::cuda(), .workspace = &workspace};
}

}  // namespace foldline::ladder
