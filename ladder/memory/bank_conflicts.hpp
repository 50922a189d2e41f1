// Sizes of bank_conflicts.cu, and the rule that it shows.
#pragma once

namespace foldline::ladder::memory {

constexpr int conflict_strides = 34;  ///< L = 0 ... 33
constexpr int conflict_elements = 31 * 33 + 1;
constexpr int conflict_requests = 256;

/// The most distinct 32-bit words in one bank if lane i of 32 reads element i * L, elements having `bytes`
/// bytes.
int predicted_degree(int element_bytes, int L);

}  // namespace foldline::ladder::memory
