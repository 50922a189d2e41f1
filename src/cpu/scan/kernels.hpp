// Scans: what each instruction set provides, and what needs none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/backend.hpp"

namespace foldline::cpu {

/// How a thread scans its parts.
struct ScanMode {
  Accuracy accuracy;
  bool stream;         // results go past the caches
  std::int64_t ahead;  // bytes between elements that are scanned and those to fetch in the meantime
  double one;          // 1.0, unknown to the compiler
};

/// Scans elements [first, first + count), which come after those in the state, and adds them to it. Returns
/// what cpu::scan does.
using ScanPart = std::int64_t (*)(const Scan& scan, const ScanMode& mode, std::int64_t first,
                                  std::int64_t count, ScanState& state);

/// Adds elements [first, first + count) to `total` as a fast scan, which is of floating-point numbers, adds
/// them to its state: the sums of tiles that it has rounded.
using ScanTotal = void (*)(const Scan& scan, std::int64_t first, std::int64_t count, Moments& total);

struct ScanKernels {
  ScanPart scan_part;
  ScanTotal add_total;
};

/// The implementations for a target that available_targets() lists.
ScanKernels scan_kernels_for(Target target);

/// Scans n elements one by one, whatever they are; any T, double or float, and any Out. O(n), some 10 ns an
/// element.
template <class T, class Out>
void scan_elements(const T* x, std::size_t n, Out* results, ScanState& state);

/// The same for integers of 64 bits, of which `is_signed` says how to read them.
template <class Out>
void scan_integers(const std::uint64_t* x, std::size_t n, bool is_signed, Out* results, ScanState& state);

}  // namespace foldline::cpu
