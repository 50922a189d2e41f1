/// @file
/// The operations without waiting: a call queues its work in a stream and returns, and the result is written
/// to memory of the device, rounded there, in the order of the stream. The bits are those of the calls that
/// wait (operations.hpp, axes.hpp).
///
///     foldline::DeviceWorkspace workspace(gpu);
///     const foldline::async::Queue queue{.workspace = &workspace, .stream = stream};
///     foldline::async::sum(foldline::VectorView(x, n), result, queue);   // double* x, double* result
///
/// Vectors and results are in memory that the device reaches: its own, managed memory, or pinned memory of
/// the host. The result has the type of what `result` points to, and need not be aligned to it.
///
/// Calls allocate nothing, free nothing and wait for nothing, so they can be captured into a CUDA graph, once
/// one call of the same kind was made outside (the CUDA runtime loads kernels at their first use). Calls in
/// several streams or from several threads at the same time need a DeviceWorkspace each.
///
/// What is wrong with the arguments is thrown at once, as InvalidArgument, by the calls; and DeviceError if
/// the work cannot be queued. That an integer type does not hold a result shows only later: the word at
/// Queue::status then becomes negative. That of a reduction leaves the result as it was; that of a scan says
/// which one it was, -1 - i for out[i], the first of them. The word must be there if this can happen: for
/// integer results, unless Overflow::wrap is asked for and the elements are integers.
///
/// Of a Context, accuracy and overflow count. Where the work is done says the queue: the execution of the
/// context is left as it is, or the call throws InvalidArgument.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "foldline/accumulator.hpp"
#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/device_workspace.hpp"
#include "foldline/export.hpp"
#include "foldline/scalar.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

/// Operations that do not wait for their results.
namespace foldline::async {

/// Where calls queue their work, and the memory that they work with.
struct Queue {
  /// Says which device, and has memory there. Calls that may run at the same time take one each.
  DeviceWorkspace* workspace = nullptr;
  /// CUDA stream (a cudaStream_t) of that device; null is the default one.
  void* stream = nullptr;
  /// A word in memory that the device reaches, zero at first: calls make it negative if a result did not fit
  /// its integer type. Many calls may share it.
  std::int64_t* status = nullptr;
};

namespace detail {
FOLDLINE_API void reduce_to(Operation operation, const VectorView& x, const MutableVectorView& result,
                            const ReduceOptions& options, const Queue& queue, const Context& context);
FOLDLINE_API void reduce_to(Operation operation, const VectorView& x, const VectorView& y,
                            const MutableVectorView& result, const Queue& queue, const Context& context);
}  // namespace detail

/// Any operation of one vector that gives one number; `result` is one element. `options` has the divisor of
/// a variance.
template <std::convertible_to<MutableVectorView> Result>
void reduce(Operation operation, const VectorView& x, Result&& result, const ReduceOptions& options,
            const Queue& queue, const Context& context = {}) {
  detail::reduce_to(operation, x, std::forward<Result>(result), options, queue, context);
}

/// Any operation of two vectors.
template <std::convertible_to<MutableVectorView> Result>
void reduce(Operation operation, const VectorView& x, const VectorView& y, Result&& result,
            const Queue& queue, const Context& context = {}) {
  detail::reduce_to(operation, x, y, std::forward<Result>(result), queue, context);
}

/// Sum of x_i; see foldline::sum.
template <Element R>
void sum(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::sum, x, MutableVectorView(result, 1), {}, queue, context);
}

/// Sum of |x_i|; see foldline::vector_abs_sum.
template <Element R>
void vector_abs_sum(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::abs_sum, x, MutableVectorView(result, 1), {}, queue, context);
}

/// Square root of the sum of x_i^2; see foldline::vector_two_norm.
template <FloatingElement R>
void vector_two_norm(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::two_norm, x, MutableVectorView(result, 1), {}, queue, context);
}

/// Square root of the mean of x_i^2; see foldline::root_mean_square.
template <FloatingElement R>
void root_mean_square(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::root_mean_square, x, MutableVectorView(result, 1), {}, queue, context);
}

/// Arithmetic mean; see foldline::mean.
template <FloatingElement R>
void mean(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::mean, x, MutableVectorView(result, 1), {}, queue, context);
}

/// Variance with the divisor n - ddof; see foldline::variance.
template <FloatingElement R>
void variance(const VectorView& x, R* result, const ReduceOptions& options, const Queue& queue,
              const Context& context = {}) {
  async::reduce(Operation::variance, x, MutableVectorView(result, 1), options, queue, context);
}

/// Square root of the variance; see foldline::standard_deviation.
template <FloatingElement R>
void standard_deviation(const VectorView& x, R* result, const ReduceOptions& options, const Queue& queue,
                        const Context& context = {}) {
  async::reduce(Operation::standard_deviation, x, MutableVectorView(result, 1), options, queue, context);
}

/// Square root of the variance / n; see foldline::standard_error.
template <FloatingElement R>
void standard_error(const VectorView& x, R* result, const ReduceOptions& options, const Queue& queue,
                    const Context& context = {}) {
  async::reduce(Operation::standard_error, x, MutableVectorView(result, 1), options, queue, context);
}

/// Sum of x_i * y_i; see foldline::dot.
template <Element R>
void dot(const VectorView& x, const VectorView& y, R* result, const Queue& queue,
         const Context& context = {}) {
  async::reduce(Operation::dot, x, y, MutableVectorView(result, 1), queue, context);
}

/// Sum of x_i * w_i divided by the sum of w_i; see foldline::weighted_mean.
template <FloatingElement R>
void weighted_mean(const VectorView& x, const VectorView& weights, R* result, const Queue& queue,
                   const Context& context = {}) {
  async::reduce(Operation::weighted_mean, x, weights, MutableVectorView(result, 1), queue, context);
}

/// The smallest element; see foldline::min.
template <Element R>
void min(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::minimum, x, MutableVectorView(result, 1), {}, queue, context);
}

/// The largest element; see foldline::max.
template <Element R>
void max(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::maximum, x, MutableVectorView(result, 1), {}, queue, context);
}

/// The largest element minus the smallest one; see foldline::range.
template <Element R>
void range(const VectorView& x, R* result, const Queue& queue, const Context& context = {}) {
  async::reduce(Operation::range, x, MutableVectorView(result, 1), {}, queue, context);
}

/// Reduces `a` along `axis` into `out`; see foldline::reduce_axis.
FOLDLINE_API void reduce_axis(Operation operation, const ArrayView& a, std::int64_t axis,
                              const MutableArrayView& out, const ReduceOptions& options, const Queue& queue,
                              const Context& context = {});

/// One result per column; see foldline::reduce_columns.
inline void reduce_columns(Operation operation, const MatrixView& a, const MutableArrayView& out,
                           const ReduceOptions& options, const Queue& queue, const Context& context = {}) {
  async::reduce_axis(operation, a.array(), 0, out, options, queue, context);
}

/// One result per row; see foldline::reduce_rows.
inline void reduce_rows(Operation operation, const MatrixView& a, const MutableArrayView& out,
                        const ReduceOptions& options, const Queue& queue, const Context& context = {}) {
  async::reduce_axis(operation, a.array(), 1, out, options, queue, context);
}

/// Reduces segments; see foldline::reduce_segments. Offsets are of 4 or 8 bytes at addresses that are
/// multiples of that. That they do not decrease and are in range shows only later, as a result that does not
/// fit: the queue must have a status, and it becomes -1 - i for segment i, the first of those whose offsets
/// are wrong, that are longer than 2^28 elements, or whose result does not fit. These results are left as
/// they were.
FOLDLINE_API void reduce_segments(Operation operation, const VectorView& values, const VectorView& offsets,
                                  const MutableVectorView& out, const ReduceOptions& options,
                                  const Queue& queue, const Context& context = {});

/// Bytes of memory that a queued reduce_by_key takes for so many values of a type and results.
FOLDLINE_API std::int64_t reduce_by_key_bytes(std::int64_t values, ElementType type, std::int64_t results,
                                              const DeviceWorkspace& workspace);

/// Reduces groups of values with the same key; see foldline::reduce_by_key. `memory` has reduce_by_key_bytes
/// or more, on the device, at a multiple of 256; nothing else may use it until the work is done. Values are
/// sorted whether their keys are or not.
///
/// That keys are in range shows only later, as a result that does not fit: the queue must have a status. It
/// becomes -1 - i if values[i] has a key that is not in [0, number of results); such values are left out. It
/// becomes -1 - k for key k if that has more than 2^28 values or its result does not fit, and the result is
/// left as it was. Of several, the smallest i or k counts.
FOLDLINE_API void reduce_by_key(Operation operation, const VectorView& keys, const VectorView& values,
                                const MutableVectorView& out, const ReduceOptions& options,
                                std::span<std::byte> memory, const Queue& queue, const Context& context = {});

/// out[i] = x[0] + ... + x[i]; see foldline::inclusive_scan.
FOLDLINE_API void inclusive_scan(const VectorView& x, const MutableVectorView& out, const Queue& queue,
                                 const Context& context = {});

/// out[i] = init + x[0] + ... + x[i - 1]; see foldline::exclusive_scan. Throws OverflowError at once if an
/// integer type cannot even hold init.
FOLDLINE_API void exclusive_scan(const VectorView& x, const MutableVectorView& out, const Scalar& init,
                                 const Queue& queue, const Context& context = {});

/// Scans every vector along an axis; see foldline::inclusive_scan_axis. The status of a result that does not
/// fit is -1 - i, i the smallest place of such a result in its vector.
FOLDLINE_API void inclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                                      const Queue& queue, const Context& context = {});

/// The same as foldline::exclusive_scan_axis does; every vector's sums begin with `init`.
FOLDLINE_API void exclusive_scan_axis(const ArrayView& a, std::int64_t axis, const MutableArrayView& out,
                                      const Scalar& init, const Queue& queue, const Context& context = {});

}  // namespace foldline::async
