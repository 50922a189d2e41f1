// Parts that ways to reduce have in common, and the way that takes everything: accumulators that are fed
// block by block.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "foldline/detail/parallel.hpp"
#include "reduction.hpp"

namespace foldline::python {

using Offsets = std::array<std::int64_t, 4>;

/// Number of positions along axes.
std::int64_t positions(const std::vector<Axis>& axes);

/// Where position `index` is, the last axis varying fastest: in bytes from the first one.
Offsets offsets_of(const std::vector<Axis>& axes, std::int64_t index);

/// Whether views describe vectors along all axes.
bool has_views(const Reduction& reduction);

/// Whether they do, and all of their elements count.
bool is_plain(const Reduction& reduction);

/// Throws InvalidArgument for a smallest or largest of no elements.
void require_taken(const Reduction& reduction, std::int64_t taken);

/// How many threads are worth it.
int threads_for(const Reduction& reduction);

/// Calls one(result, context) for all results: on threads that share the results if there are enough of
/// them, and otherwise one after the other, for which the context lets all threads work on each.
template <class One>
void share_results(const Reduction& reduction, std::int64_t results, const One& one) {
  const int threads = threads_for(reduction);
  if (results < threads) {
    for (std::int64_t result = 0; result < results; ++result) one(result, reduction.context);
    return;
  }
  Context context = reduction.context;
  context.execution.threads = 1;
  const std::int64_t part = std::max<std::int64_t>(1, results / (std::int64_t{threads} * 8));
  detail::run_parts((results - 1) / part + 1, threads, [&](std::int64_t i) {
    for (std::int64_t result = i * part; result < std::min(results, (i + 1) * part); ++result)
      one(result, context);
  });
}

/// Adds the elements of one result, which are at a place, to an accumulator, on threads that share them.
void add_blocks(const Reduction& reduction, const Offsets& at, int threads, Accumulator& accumulator);

/// Each result by an Accumulator.
void reduce_blocks(const Reduction& reduction);

}  // namespace foldline::python
