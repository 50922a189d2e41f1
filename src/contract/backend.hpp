// The contract between the operations and a backend: one function per pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <ranges>
#include <span>
#include <vector>

#include "contract/moments.hpp"
#include "contract/reduction.hpp"
#include "contract/scan.hpp"
#include "contract/scan_state.hpp"
#include "foldline/array_view.hpp"
#include "foldline/plan.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// An axis of the results of an AxisReduction; strides in elements.
struct ResultAxis {
  std::int64_t extent, stride, out_stride;
};

/// Distances, in elements, from the first vector and its result to another one.
struct Offset {
  std::int64_t terms = 0, out = 0;
};
inline Offset offset_of(std::span<const ResultAxis> axes, std::int64_t index) {
  Offset offset;
  for (const ResultAxis& axis : axes | std::views::reverse) {
    offset.terms += index % axis.extent * axis.stride;
    offset.out += index % axis.extent * axis.out_stride;
    index /= axis.extent;
  }
  return offset;
}

/// The exception of the first result that has one, to be rethrown by the caller: the same one for any number
/// of threads.
struct Failure {
  std::mutex mutex;
  std::exception_ptr exception;
  std::int64_t index = 0;

  /// Called for result `of` in a catch block, by any thread.
  void note(std::int64_t of) {
    const std::lock_guard lock(mutex);
    if (exception && index <= of) return;
    exception = std::current_exception();
    index = of;
  }
};

/// A valid reduction of every vector along an axis of an array.
struct AxisReduction {
  Operation operation;
  std::int64_t ddof;
  VectorView terms;  // of the first result
  std::vector<ResultAxis>
      axes;              // where the other vectors begin and their results go; nearest neighbours last
  std::int64_t results;  // number of them: the product of the extents
  std::byte* out;        // where the first one goes
  ElementType out_type;
  Overflow overflow;
  Failure* failure;  // set by a rounding that fails
};

/// The vector that begins `offset` elements after the first one.
inline VectorView vector_at(const AxisReduction& reduction, std::int64_t offset) {
  const VectorView& first = reduction.terms;
  // An empty vector may have no address.
  if (first.size() == 0 || first.data() == nullptr) return first;
  return {first.at(0) + offset * size_of(first.type()), first.type(), first.size(), first.stride()};
}

/// Callback of the backends: rounds the sums of one vector and stores the result `offset` elements after the
/// first one. Does not throw.
using RoundTo = void (*)(const AxisReduction& reduction, const Moments& moments, std::int64_t offset);

/// A matrix in memory; strides in elements.
struct MatrixOperand {
  const std::byte* data;
  ElementType type;
  std::int64_t rows, columns, row_stride, column_stride;

  const std::byte* at(std::int64_t row, std::int64_t column) const {
    return data + (row * row_stride + column * column_stride) * size_of(type);
  }
  MatrixOperand transposed() const { return {data, type, columns, rows, column_stride, row_stride}; }
};

/// A valid matrix product C = alpha A B + beta C of floats or doubles: shapes fit, A and B are of one type,
/// alpha is not 0 and there is an entry.
struct MatrixProduct {
  MatrixOperand a, b, c;
  double alpha, beta;

  /// An entry of C, writable.
  std::byte* entry(std::int64_t row, std::int64_t column) const {
    return const_cast<std::byte*>(c.at(row, column));  // NOLINT: was not const when it came
  }
};

/// How reductions along an axis are carried out.
struct AxisPlan {
  Plan all;   ///< of all vectors
  Plan each;  ///< of one vector, if vectors are reduced one by one: by all threads or by one of them
};

namespace cpu {
/// The instruction sets that this build has code for and this processor can run, best first.
std::vector<Target> compiled_targets();

/// Reduces every vector along the axis; calls `round` for each.
void reduce_axis(const AxisReduction& reduction, const AxisPlan& plan, RoundTo round);

/// Adds the terms of the reduction to `moments`.
void reduce(const Reduction& reduction, const Plan& plan, Moments& moments);

/// Scans x, which continues the elements of `state`, and adds its elements to the state. Integer results
/// require an integer state and integer elements. Returns the index of the first result that its type cannot
/// hold, if overflow is an error, else no_result.
std::int64_t scan(const Scan& scan, const Plan& plan, ScanState& state);

/// Writes C. Ignores the plan's part.
void matrix_product(const MatrixProduct& product, const Plan& plan);

/// Sums or extrema, as an operation needs, of every column of a matrix whose rows are added in blocks.
class MatrixColumnSums {
 public:
  virtual ~MatrixColumnSums() = default;
  /// Adds rows; `from_memory` says that they are probably in no cache.
  virtual void add(const MatrixView& rows, bool from_memory) = 0;
  /// Adds the rows of `other`, which must be from make_column_sums with the same arguments and is unusable
  /// afterwards.
  virtual void merge(MatrixColumnSums& other) = 0;
  /// Rounds every column; results are `stride` elements apart.
  virtual void round(const AxisReduction& reduction, RoundTo round_one, std::int64_t stride) const = 0;
  virtual std::int64_t rows() const = 0;
};
std::unique_ptr<MatrixColumnSums> make_column_sums(const Needs& needs, ElementType type, std::int64_t columns,
                                                   Target target);
}  // namespace cpu

namespace cuda {
/// Throws InvalidArgument if there is no such device.
void require_device(int index);

/// Adds the terms of the reduction to `moments` on the plan's device, ordered after earlier work in the
/// stream. Waits until it is done.
void reduce(const Reduction& reduction, const Plan& plan, void* stream, Moments& moments);

/// Scans x as cpu::scan does on the plan's device, ordered after earlier work in the stream. Waits until it
/// is done.
std::int64_t scan(const Scan& scan, const Plan& plan, void* stream, ScanState& state);

/// Reduces every vector along the axis on the plan's device, ordered after earlier work in the stream. Waits
/// until all results are stored. `round` is called for results that the device does not round.
void reduce_axis(const AxisReduction& reduction, const Plan& plan, void* stream, RoundTo round);

/// Writes C on the plan's device, ordered after earlier work in the stream. Waits until it is written.
void matrix_product(const MatrixProduct& product, const Plan& plan, void* stream);
}  // namespace cuda

}  // namespace foldline
