// Scans: the functions that are compiled for each instruction set, and the portable ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/backend.hpp"

namespace foldline::cpu {

/// How a thread scans its parts.
struct ScanMode {
  Accuracy accuracy;
  bool stream;         // stores bypass the caches
  std::int64_t ahead;  // prefetch distance in bytes
  double one;          // 1.0, unknown to the compiler
};

/// Scans elements [first, first + count), which follow those in the state, and adds them to it. Returns what
/// cpu::scan does.
using ScanPart = std::int64_t (*)(const Scan& scan, const ScanMode& mode, std::int64_t first,
                                  std::int64_t count, ScanState& state);

/// Adds elements [first, first + count) to `total` as a fast scan of floating-point numbers adds them to its
/// state: by the rounded sums of tiles.
using ScanTotal = void (*)(const Scan& scan, std::int64_t first, std::int64_t count, Moments& total);

struct ScanKernels {
  ScanPart scan_part;
  ScanTotal add_total;
};

/// The implementations for a target that available_targets() lists.
ScanKernels scan_kernels_for(Target target);

/// Scans n arbitrary elements one by one, at some 10 ns each; T is double or float, Out any floating-point
/// type.
template <class T, class Out>
void scan_elements(const T* x, std::size_t n, Out* results, ScanState& state);

/// The same for 64-bit integers, signed if `is_signed`.
template <class Out>
void scan_integers(const std::uint64_t* x, std::size_t n, bool is_signed, Out* results, ScanState& state);

}  // namespace foldline::cpu
