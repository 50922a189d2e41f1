// Checks shared by scans of a vector and along an axis.
#pragma once

#include "contract/scan_axis.hpp"
#include "contract/scan_state.hpp"
#include "foldline/scalar.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// The state before the first element of an exclusive scan.
ScanState state_after(const Scalar& init);

/// Refuses vectors that are not as long as each other, or share memory in a way that a scan cannot take.
void validate_scan(const char* operation, const VectorView& x, const MutableVectorView& out);

/// Refuses results of an integer type `out`, if it is one, unless sums of `x` elements after `state` are
/// whole numbers.
void validate_scan_types(const char* operation, ElementType x, const ScanState& state, ElementType out);

/// A scan along an axis for a GPU, of arrays that are validated and not empty.
ArrayScan array_scan(const ArrayView& a, std::size_t axis, const MutableArrayView& out, bool exclusive,
                     const Context& context);

/// Throws the OverflowError for result number `result`, which `type` does not hold.
[[noreturn]] void refuse_overflow(const char* operation, std::int64_t result, ElementType type);

}  // namespace foldline
