// foldline's calls where rungs are simulated: the library's CPU backend, in memory that the host reaches,
// too.
#pragma once

#include <foldline/foldline.hpp>

namespace foldline::ladder {

inline constexpr Context library_context = {.overflow = Overflow::wrap};
inline constexpr Device library_device = {};

struct Queue {};
inline Queue library_queue() { return {}; }

/// Found before foldline::async by the rungs, which call it async.
namespace async {

template <class R>
void sum(const VectorView& x, R* result, const Queue&, const Context& context) {
  foldline::reduce(Operation::sum, x, MutableVectorView(result, 1), {}, context);
}

template <class R>
void vector_two_norm(const VectorView& x, R* result, const Queue&, const Context& context) {
  foldline::reduce(Operation::two_norm, x, MutableVectorView(result, 1), {}, context);
}

template <class R>
void dot(const VectorView& x, const VectorView& y, R* result, const Queue&, const Context& context) {
  foldline::reduce(Operation::dot, x, y, MutableVectorView(result, 1), context);
}

inline void reduce_columns(Operation operation, const MatrixView& a, const MutableArrayView& out,
                           const ReduceOptions& options, const Queue&, const Context& context) {
  foldline::reduce_columns(operation, a, out, options, context);
}

inline void inclusive_scan(const VectorView& x, const MutableVectorView& out, const Queue&,
                           const Context& context) {
  foldline::inclusive_scan(x, out, context);
}

}  // namespace async
}  // namespace foldline::ladder
