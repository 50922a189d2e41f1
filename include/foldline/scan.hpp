/// @file
/// Scans: all prefix sums of a vector, each the round-to-nearest-even of the exact sum of its elements.
/// Unlike the sums of an ordinary scan they do not drift, and they have the same bits for any number of
/// threads, SIMD width, machine and cut into blocks; the last one is foldline::sum(x).
///
///     std::vector<double> x = ..., out(x.size());
///     foldline::inclusive_scan(x, out);   // out[i] = x[0] + ... + x[i], rounded once
///     foldline::exclusive_scan(x, out);   // out[i] = x[0] + ... + x[i - 1]
///
/// Views may have any strides (zero for x only) and need not be aligned. `out` may be x itself (same data,
/// stride and type), and must not share memory with x otherwise. Its type is the type of the results, and may
/// be another one than x's: there is still only one rounding. Results of an integer type, of integer elements
/// only, are exact.
///
/// All take O(n) time and O(1) memory per thread. They throw InvalidArgument, before anything is written, for
/// malformed views, sizes that differ, vectors that overlap, integer results of what is not an integer, and a
/// context that cannot be met; and OverflowError if an integer result does not fit, unless Overflow::wrap is
/// asked for: `out` then holds some of the results.
///
/// Method: prefix sums in registers, of two parts of each element that add up without rounding within a
/// window of some 95 bits; integers for what does not fit (docs/design/scan.md).
#pragma once

#include <cstdint>
#include <memory>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/error.hpp"
#include "foldline/export.hpp"
#include "foldline/scalar.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// out[i] = x[0] + ... + x[i]
FOLDLINE_API void inclusive_scan(const VectorView& x, const MutableVectorView& out,
                                 const Context& context = {});

/// out[i] = init + x[0] + ... + x[i - 1]; so out[0] is init, rounded to out's type.
FOLDLINE_API void exclusive_scan(const VectorView& x, const MutableVectorView& out,
                                 const Scalar& init = Scalar(0.0), const Context& context = {});

/// The same with a number as `init`.
template <Element T>
void exclusive_scan(const VectorView& x, const MutableVectorView& out, T init, const Context& context = {}) {
  exclusive_scan(x, out, Scalar(init), context);
}

/// Scans every vector along an axis of `a` as inclusive_scan does: the same bits. `out` has a's shape; a
/// negative axis counts from the last one, -1. `out` may be `a` itself (same data, strides and type), and
/// must lie before or behind all of its memory otherwise.
///
/// Takes O(elements) time whatever the layout, and 400 KiB per thread where vectors interleave; on a GPU the
/// memory of a scan. Threads share the vectors or, where these are fewer, each vector. Throws as
/// inclusive_scan does, also if there is no such axis or the shapes differ; an OverflowError names the place
/// of the result in its vector. On a GPU results are exact for Accuracy::fast, too, but for vectors that are
/// scanned one by one, as inclusive_scan would: a single one, and long ones.
FOLDLINE_API void inclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                                      const Context& context = {});

/// The same as exclusive_scan does; every vector's sums begin with `init`.
FOLDLINE_API void exclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                                      const Scalar& init = Scalar(0.0), const Context& context = {});

/// The same with a number as `init`.
template <Element T>
void exclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out, T init,
                         const Context& context = {}) {
  exclusive_scan_axis(a, axis, out, Scalar(init), context);
}

/// Whether a result is the sum up to its element, or before it.
enum class ScanKind : std::uint8_t {
  inclusive,  ///< with the element
  exclusive   ///< without it
};

/// A scan of a stream, block by block: where the blocks are cut does not show in the results. For files
/// larger than memory, and for vectors that arrive piece by piece.
///
/// About 400 bytes. Copyable. Not for use by two threads at once.
class FOLDLINE_API RunningScan {
 public:
  /// Sums begin with `init` for an exclusive scan, and with nothing for an inclusive one.
  explicit RunningScan(ScanKind kind, const Scalar& init = Scalar(0.0));
  /// The same with a number as `init`.
  template <Element T>
  RunningScan(ScanKind kind, T init) : RunningScan(kind, Scalar(init)) {}
  /// Sums begin with all that was added to `before`, exactly: the scan goes on after elements that were added
  /// up elsewhere. Throws InvalidArgument if it holds no sum of its elements, as those for sums, means,
  /// variances and statistics do.
  RunningScan(ScanKind kind, const Accumulator& before);
  /// A scan that goes on where the other one is.
  RunningScan(const RunningScan& other);
  /// The other one may only be assigned to and destroyed after this.
  RunningScan(RunningScan&& other) noexcept;
  /// As the copy constructor.
  RunningScan& operator=(const RunningScan& other);
  /// As the move constructor.
  RunningScan& operator=(RunningScan&& other) noexcept;
  ~RunningScan();

  /// Scans the next block. Element and result types may change from block to block. After an error the scan
  /// is where it was before the call.
  void next(const VectorView& x, const MutableVectorView& out, const Context& context = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foldline
