// The backend functions that do not wait: they put work into a queue, whose workspace
// is there. Separate from backend.hpp because kernels do not need them.
#pragma once

#include "contract/backend.hpp"
#include "foldline/async.hpp"

namespace foldline::cuda {

void reduce_async(const Reduction& reduction, const DeviceResult& result, Overflow overflow,
                  const async::Queue& queue);
void reduce_axis_async(const AxisReduction& reduction, const async::Queue& queue);
void scan_async(const Scan& scan, const ScanState& before, Accuracy accuracy, const async::Queue& queue);

}  // namespace foldline::cuda
