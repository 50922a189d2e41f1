// Checks shared by scans of a vector and along an axis.
#pragma once

#include "contract/scan_state.hpp"
#include "foldline/scalar.hpp"

namespace foldline {

/// The state before the first element of an exclusive scan.
ScanState state_after(const Scalar& init);

/// Refuses results of an integer type `out`, if it is one, unless sums of `x` elements after `state` are
/// whole numbers.
void validate_scan_types(const char* operation, ElementType x, const ScanState& state, ElementType out);

/// Throws the OverflowError for result number `result`, which `type` does not hold.
[[noreturn]] void refuse_overflow(const char* operation, std::int64_t result, ElementType type);

}  // namespace foldline
