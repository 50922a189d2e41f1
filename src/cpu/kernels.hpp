// What each instruction set provides, and how they are chosen.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend.hpp"

namespace foldline::cpu {

/// Hands out the parts of a vector to the threads that work on it. Which thread gets which part does not
/// matter.
class PartQueue {
 public:
  PartQueue(std::int64_t size, std::int64_t part) : size_(size), part_(part) {}

  /// Whether all of it is one part.
  bool is_whole() const { return part_ >= size_; }

  /// The next part as [first, first + count); false when there is none left.
  bool take(std::int64_t& first, std::int64_t& count) {
    // Compared before adding: a finished queue that is asked again must not overflow.
    if (next_.load(std::memory_order_relaxed) >= size_) return false;
    if (is_whole()) {  // so there is one thread (see plan): an atomic addition would be a tenth of a short
                       // sum's time
      first = 0;
      next_.store(size_, std::memory_order_relaxed);
    } else {
      first = next_.fetch_add(part_, std::memory_order_relaxed);
    }
    if (first >= size_) return false;
    count = size_ - first < part_ ? size_ - first : part_;
    return true;
  }

 private:
  std::atomic<std::int64_t> next_{0};
  const std::int64_t size_, part_;
};

/// Takes parts until there are none and adds their terms to `moments`. `one` is 1.0, unknown to the compiler.
using ReduceParts = void (*)(const Reduction& reduction, Accuracy accuracy, PartQueue& parts, double one,
                             Moments& moments);

/// The same for integers, which are always exact.
using ReduceIntegerParts = void (*)(const Reduction& reduction, PartQueue& parts, Moments& moments);

/// How a thread scans its parts.
struct ScanMode {
  Accuracy accuracy;
  bool stream;         // results go past the caches
  std::int64_t ahead;  // bytes between elements that are scanned and those to fetch in the meantime
  double one;          // as above
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
ReduceParts reduce_parts_for(Target target);
ReduceIntegerParts reduce_integer_parts_for(Target target);
ScanKernels scan_kernels_for(Target target);

/// What one thread does to reduce.
void reduce_parts(const Reduction& reduction, const Plan& plan, PartQueue& parts, Moments& moments);

/// Scans n elements one by one, whatever they are; any T, double or float, and any Out. O(n), some 10 ns an
/// element.
template <class T, class Out>
void scan_elements(const T* x, std::size_t n, Out* results, ScanState& state);

/// The same for integers of 64 bits, of which `is_signed` says how to read them.
template <class Out>
void scan_integers(const std::uint64_t* x, std::size_t n, bool is_signed, Out* results, ScanState& state);

}  // namespace foldline::cpu
