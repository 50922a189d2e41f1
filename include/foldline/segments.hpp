/// @file
/// Reductions of segments, as of the rows of a sparse matrix, and of groups of elements with the same key.
/// Each result is, bit for bit, what the operation of operations.hpp gives for its elements as a VectorView:
/// the correctly rounded value of the exact result (docs/contract.md). So the order of elements with the same
/// key does not matter.
///
///     foldline::reduce_segments(foldline::Operation::sum, values, row_offsets, out);  // row sums of CSR
///     foldline::reduce_by_key(foldline::Operation::mean, keys, values, out);          // group means
#pragma once

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// out[i] = operation of values[offsets[i]] to values[offsets[i + 1] - 1], for i in [0, out.size()).
/// `offsets` has one element more than `out`, of an integer type; they do not decrease and are in
/// [0, values.size()]. Elements before the first and behind the last are in no segment. Each result is
/// rounded once, to out's element type. `options` has the divisor of a variance. All one-vector operations
/// that give one number: not dot, weighted_mean and statistics.
///
/// An empty segment has the result of an empty vector: a sum of +0, a mean of NaN; its minimum, maximum and
/// range are NaN, or, of an integer type, an InvalidArgument. `out` must not overlap the others, but may lie
/// between their elements if all strides in bytes are equal, as those of a matrix's columns. On a GPU values,
/// offsets and out may lie in its memory or in the host's.
///
/// Time O(values + segments), whatever the lengths; memory O(1) for each thread.
///
/// Throws InvalidArgument if the offsets are not as said (it names the first that is not), a size does not
/// fit, `out` overlaps, the operation is none of those, ddof is negative or the context cannot be met;
/// nothing is written then. Throws OverflowError if a result does not fit an integer type, and
/// InvalidArgument if it is not whole or is the minimum, maximum or range of nothing; it names the first such
/// segment, or key, and what is in `out` then is unspecified.
FOLDLINE_API void reduce_segments(Operation operation, const VectorView& values, const VectorView& offsets,
                                  const MutableVectorView& out, const ReduceOptions& options = {},
                                  const Context& context = {});

/// out[k] = operation of the values[i] with keys[i] = k, for k in [0, out.size()). Keys are of an integer
/// type, as many as values, in any order, each in [0, out.size()). A key that no value has, has the result of
/// an empty segment; all else is as for reduce_segments.
///
/// Time O(values + keys). Of sorted keys, which are found out, groups are segments: memory for an offset of 8
/// bytes for each key. Otherwise the values are copied in the order of their keys: memory for two copies of
/// them, and 4 bytes each; on a GPU for one copy and 4 to 8 bytes each, and keys are below 2^32 - 1.
///
/// Throws InvalidArgument if a key is not in the range (it names the first), and as reduce_segments does.
FOLDLINE_API void reduce_by_key(Operation operation, const VectorView& keys, const VectorView& values,
                                const MutableVectorView& out, const ReduceOptions& options = {},
                                const Context& context = {});

}  // namespace foldline
