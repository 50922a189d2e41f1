// The contract with a backend of a device for calls that nobody waits for: they queue work in the context's
// stream, with memory of its workspace. In a header of its own, since kernels do not need it.
#pragma once

#include <cstddef>

#include "contract/backend.hpp"
#include "foldline/context.hpp"

namespace foldline {

/// Where and how a reduction leaves its result.
struct DeviceResult {
  Operation operation;
  std::int64_t ddof;
  std::byte* out;  // memory that the device reaches
  ElementType type;
};

namespace cuda {
void reduce_async(const Reduction& reduction, const DeviceResult& result, const Context& context);
void reduce_axis_async(const AxisReduction& reduction, const Context& context);
void scan_async(const Scan& scan, const ScanState& before, const Context& context);
}  // namespace cuda

}  // namespace foldline
