// The operations: what each needs, in one table. Adding one begins with a row here (CONTRIBUTING.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foldline/operation.hpp"

namespace foldline {

/// The sums and extrema that an operation needs.
struct Needs {
  bool values = false;      // sum of x_i (of w_i for a weighted mean)
  bool magnitudes = false;  // sum of |x_i|
  bool squares = false;     // sum of x_i^2
  bool products = false;    // sum of x_i y_i
  bool extrema = false;

  /// Whether all that `other` needs is among it.
  constexpr bool include(const Needs& other) const {
    return values >= other.values && magnitudes >= other.magnitudes && squares >= other.squares &&
           products >= other.products && extrema >= other.extrema;
  }
};

/// What a result is for integers.
enum class ResultKind : std::uint8_t {
  element,  // one of the elements
  sum,      // an integer of 64 bits
  quotient  // no integer in general: a quotient or a root
};

struct OperationTraits {
  Operation operation;
  std::string_view name;
  Needs needs;
  ResultKind result;
  bool two_vectors = false;
  std::int64_t usual_ddof = 0;
};

/// The position is the number of the operation: append only.
inline constexpr std::array operation_table = std::to_array<OperationTraits>({
    {Operation::sum, "sum", {.values = true}, ResultKind::sum},
    {Operation::abs_sum, "abs_sum", {.magnitudes = true}, ResultKind::sum},
    {Operation::two_norm, "two_norm", {.squares = true}, ResultKind::quotient},
    {Operation::mean, "mean", {.values = true}, ResultKind::quotient},
    {Operation::variance, "variance", {.values = true, .squares = true}, ResultKind::quotient},
    {Operation::dot, "dot", {.products = true}, ResultKind::sum, true},
    {Operation::weighted_mean,
     "weighted_mean",
     {.values = true, .products = true},
     ResultKind::quotient,
     true},
    {Operation::minimum, "minimum", {.extrema = true}, ResultKind::element},
    {Operation::maximum, "maximum", {.extrema = true}, ResultKind::element},
    {Operation::statistics,
     "statistics",
     {.values = true, .magnitudes = true, .squares = true, .extrema = true},
     ResultKind::quotient},
    {Operation::standard_deviation,
     "standard_deviation",
     {.values = true, .squares = true},
     ResultKind::quotient},
    {Operation::standard_error,
     "standard_error",
     {.values = true, .squares = true},
     ResultKind::quotient,
     false,
     1},
    {Operation::range, "range", {.extrema = true}, ResultKind::sum},
    {Operation::root_mean_square, "root_mean_square", {.squares = true}, ResultKind::quotient},
});
static_assert([] {
  for (std::size_t i = 0; i < operation_table.size(); ++i)
    if (operation_table[i].operation != static_cast<Operation>(i)) return false;
  return true;
}());

/// What there is to say of a number that is no operation's: it is refused by its name.
inline constexpr OperationTraits unknown_operation = {
    .operation = Operation{255},
    .name = "unknown",
    .needs = {.values = true, .magnitudes = true, .squares = true, .extrema = true},
    .result = ResultKind::quotient};

constexpr const OperationTraits& traits_of(Operation operation) {
  const auto i = static_cast<std::size_t>(operation);
  return i < operation_table.size() ? operation_table[i] : unknown_operation;
}

constexpr const Needs& needs_of(Operation operation) { return traits_of(operation).needs; }
constexpr bool takes_two_vectors(Operation operation) { return traits_of(operation).two_vectors; }

}  // namespace foldline
