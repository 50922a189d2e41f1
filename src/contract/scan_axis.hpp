// Scans along an axis on a GPU. (On a CPU, the vectors are scanned one by one or in tiles:
// api/scan_axis.cpp.)
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.hpp"
#include "foldline/async.hpp"

namespace foldline {

/// A valid scan of every vector along an axis of an array, which has at least one element.
struct ArrayScan {
  VectorView x;           // the first vector
  MutableVectorView out;  // its results; shares memory with the elements only if these are the same array
  std::vector<ResultAxis> axes;  // where the other vectors begin; nearest neighbours last
  std::int64_t vectors;          // number of them: the product of the extents
  bool exclusive;
  Overflow overflow;
  Accuracy accuracy;
};

namespace cuda {
/// Scans on the plan's device, each vector from `before` on, ordered after earlier work in the stream. Waits
/// until it is done. Returns the smallest place in its vector of a result that its type cannot hold, if
/// overflow is an error, else no_result.
std::int64_t scan_axis(const ArrayScan& scan, const ScanState& before, const Plan& plan, void* stream);

/// The same in a queue, whose status says -1 - place of such a result.
void scan_axis_async(const ArrayScan& scan, const ScanState& before, const async::Queue& queue);
}  // namespace cuda

}  // namespace foldline
