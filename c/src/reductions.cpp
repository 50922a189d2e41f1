// Reductions, scans and products of arrays.
#include <optional>
#include <span>
#include <string>

#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/axes.hpp"
#include "foldline/matrix_product.hpp"
#include "foldline/operations.hpp"
#include "foldline/scan.hpp"
#include "foldline/segments.hpp"
#include "foldline/where.hpp"
#include "store.hpp"

using namespace foldline;
using namespace foldline::c;

namespace {

bool is_dense(const ArrayView& a) { return a.strides() == row_major_strides(a.shape()); }

/// Adds every vector along the last axis, in whatever layout.
void add_vectors(Accumulator& accumulator, const ArrayView& a, std::size_t axis, std::int64_t offset,
                 const Context& context) {
  const std::int64_t extent = a.shape()[axis], stride = a.strides()[axis];
  if (axis + 1 == a.shape().size()) {
    accumulator.add(VectorView(a.at(offset), a.type(), extent, stride), context);
    return;
  }
  for (std::int64_t i = 0; i < extent; ++i)
    add_vectors(accumulator, a, axis + 1, offset + i * stride, context);
}

}  // namespace

foldline_status foldline_reduce(foldline_operation operation, const foldline_array* x, std::int64_t ddof,
                                const foldline_array* result, const foldline_context* context) {
  return call([&] {
    const Operation which = operation_of(operation);
    const ArrayView a = array_of(x, "x");
    const MutableVectorView out = one_element_of(result, "the result");
    const Context how = context_of(context);
    const std::size_t axes = a.shape().size();
    if (axes == 1 || is_dense(a)) {
      const std::int64_t stride = axes == 1 ? a.strides()[0] : 1;
      reduce(which, VectorView(a.data(), a.type(), a.size(), stride), out, {.ddof = ddof_of(ddof)}, how);
      return;
    }
    Accumulator all(which);
    if (a.size() != 0) add_vectors(all, a, 0, 0, how);
    store(all.rounded(which, out.type(), ddof_of(ddof), how.overflow), out);
  });
}

foldline_status foldline_reduce_pairs(foldline_operation operation, const foldline_array* x,
                                      const foldline_array* y, const foldline_array* result,
                                      const foldline_context* context) {
  return call([&] {
    reduce(operation_of(operation), vector_of(x, "x"), vector_of(y, "y"),
           one_element_of(result, "the result"), context_of(context));
  });
}

foldline_status foldline_reduce_axis(foldline_operation operation, const foldline_array* a, std::int64_t axis,
                                     std::int64_t ddof, const foldline_array* out,
                                     const foldline_context* context) {
  return call([&] {
    reduce_axis(operation_of(operation), array_of(a, "a"), axis, mutable_array_of(out, "out"),
                {.ddof = ddof_of(ddof)}, context_of(context));
  });
}

foldline_status foldline_reduce_segments(foldline_operation operation, const foldline_array* values,
                                         const foldline_array* offsets, std::int64_t ddof,
                                         const foldline_array* out, const foldline_context* context) {
  return call([&] {
    reduce_segments(operation_of(operation), vector_of(values, "values"), vector_of(offsets, "offsets"),
                    mutable_vector_of(out, "out"), {.ddof = ddof_of(ddof)}, context_of(context));
  });
}

foldline_status foldline_reduce_by_key(foldline_operation operation, const foldline_array* keys,
                                       const foldline_array* values, std::int64_t ddof,
                                       const foldline_array* out, const foldline_context* context) {
  return call([&] {
    reduce_by_key(operation_of(operation), vector_of(keys, "keys"), vector_of(values, "values"),
                  mutable_vector_of(out, "out"), {.ddof = ddof_of(ddof)}, context_of(context));
  });
}

foldline_status foldline_reduce_where(foldline_operation operation, const foldline_array* x,
                                      const foldline_array* where, std::int64_t ddof,
                                      const foldline_array* result, std::int64_t* taken,
                                      const foldline_context* context) {
  return call([&] {
    std::int64_t& count = required(taken, "taken");
    count = reduce_where(operation_of(operation), vector_of(x, "x"), vector_of(where, "where"),
                         one_element_of(result, "the result"), {.ddof = ddof_of(ddof)}, context_of(context));
  });
}

foldline_status foldline_reduce_axes_where(foldline_operation operation, const foldline_array* a,
                                           const foldline_array* where, const std::int64_t* axes,
                                           std::int32_t axis_count, std::int64_t ddof,
                                           const foldline_array* out, const foldline_array* counts,
                                           const foldline_context* context) {
  return call([&] {
    if (axis_count < 0) throw InvalidArgument("foldline: " + std::to_string(axis_count) + " axes");
    if (axis_count > 0) static_cast<void>(required(axes, "the array of axes"));
    std::optional<MutableArrayView> taken;
    if (counts != nullptr) taken = mutable_array_of(counts, "counts");
    reduce_axes_where(operation_of(operation), array_of(a, "a"), array_of(where, "where"),
                      AxisValues(std::span(axes, static_cast<std::size_t>(axis_count))),
                      mutable_array_of(out, "out"), taken, {.ddof = ddof_of(ddof)}, context_of(context));
  });
}

foldline_status foldline_inclusive_scan(const foldline_array* a, std::int64_t axis, const foldline_array* out,
                                        const foldline_context* context) {
  return call([&] {
    const ArrayView from = array_of(a, "a");
    const MutableArrayView to = mutable_array_of(out, "out");
    if (from.shape().size() == 1 && to.shape().size() == 1 && (axis == 0 || axis == -1))
      inclusive_scan(vector_of(a, "a"), mutable_vector_of(out, "out"), context_of(context));
    else
      inclusive_scan_axis(from, axis, to, context_of(context));
  });
}

foldline_status foldline_exclusive_scan(const foldline_array* a, std::int64_t axis,
                                        const foldline_array* init, const foldline_array* out,
                                        const foldline_context* context) {
  return call([&] {
    const ArrayView from = array_of(a, "a");
    const MutableArrayView to = mutable_array_of(out, "out");
    const Scalar first = scalar_of(init, "init");
    if (from.shape().size() == 1 && to.shape().size() == 1 && (axis == 0 || axis == -1))
      exclusive_scan(vector_of(a, "a"), mutable_vector_of(out, "out"), first, context_of(context));
    else
      exclusive_scan_axis(from, axis, to, first, context_of(context));
  });
}

foldline_status foldline_matrix_product(const foldline_array* a, const foldline_array* b,
                                        const foldline_array* c, double alpha, double beta,
                                        const foldline_context* context) {
  return call([&] {
    matrix_product(array_of(a, "a"), array_of(b, "b"), mutable_array_of(c, "c"),
                   {.alpha = alpha, .beta = beta}, context_of(context));
  });
}
