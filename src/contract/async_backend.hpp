// The backend functions that do not wait: they queue work in the context's stream, with memory of its
// workspace. Separate from backend.hpp because kernels do not need them.
#pragma once

#include <cstddef>

#include "contract/backend.hpp"
#include "foldline/context.hpp"

namespace foldline {

/// Where a queued reduction stores its result.
struct DeviceResult {
  Operation operation;
  std::int64_t ddof;
  std::byte* out;  // device-accessible memory
  ElementType type;
};

namespace cuda {
void reduce_async(const Reduction& reduction, const DeviceResult& result, const Context& context);
void reduce_axis_async(const AxisReduction& reduction, const Context& context);
void scan_async(const Scan& scan, const ScanState& before, const Context& context);
}  // namespace cuda

}  // namespace foldline
