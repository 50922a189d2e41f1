/// @file
/// The operations that make one number of one or two vectors, and what a call says of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "foldline/export.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// Everything that is a reduction of one or two vectors to one number. The numbers are fixed: they are those
/// of serialised accumulators (docs/serialisation.md).
enum class Operation : std::uint8_t {
  sum = 0,            ///< sum of x_i
  abs_sum = 1,        ///< sum of |x_i|
  two_norm = 2,       ///< sqrt(sum of x_i^2)
  mean = 3,           ///< sum of x_i / n
  variance = 4,       ///< sum of (x_i - mean)^2 / (n - ddof)
  dot = 5,            ///< sum of x_i y_i
  weighted_mean = 6,  ///< sum of x_i w_i / sum of w_i
  minimum = 7,
  maximum = 8,
  statistics = 9,           ///< all of the one-vector operations in one pass
  standard_deviation = 10,  ///< sqrt(variance)
  standard_error = 11,      ///< sqrt(variance / n): how far the mean of such a sample is from that of all
  range = 12,               ///< maximum - minimum
  root_mean_square = 13     ///< sqrt(sum of x_i^2 / n)
};

/// The name of the operation in messages: "sum", "two_norm", ...; "unknown" for a number that is none.
[[nodiscard]] FOLDLINE_API std::string_view name_of(Operation operation);

/// The type of a result if no other is asked for: sums of integers (sum, abs_sum, dot) and their range are
/// int64, or uint64 for unsigned types; their means, deviations and norms float64; everything else keeps the
/// type of the elements.
[[nodiscard]] FOLDLINE_API ElementType default_result_type(Operation operation, ElementType elements);

/// What a call needs beside its vectors; `{}` is the usual.
struct ReduceOptions {
  /// What is taken from n in the divisor of a variance, standard deviation or standard error; others do
  /// without. Unset it is 1 for the standard error, since its elements are a sample, and 0 for the others.
  std::optional<std::int64_t> ddof = {};
};

}  // namespace foldline
