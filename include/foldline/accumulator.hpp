/// @file
/// Partial results: an operation that is fed piece by piece, merged, stored, sent, and rounded at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foldline/context.hpp"
#include "foldline/export.hpp"
#include "foldline/operation.hpp"
#include "foldline/scalar.hpp"
#include "foldline/types.hpp"
#include "foldline/vector_view.hpp"

namespace foldline {

/// A reduction in progress. What it holds is exact, so neither the order of `add` and `merge` nor the way the
/// data is cut into pieces can change a result: that is how chunks, files, devices and ranks combine. The
/// pieces may be of different element types.
///
/// About 4 KiB. Copyable. Not for use by two threads at once; give each its own and merge.
class FOLDLINE_API Accumulator {
 public:
  /// An empty accumulator that gathers what `operation` needs.
  explicit Accumulator(Operation operation);
  /// @{ Copies are independent; what was moved from may only be assigned to or destroyed.
  Accumulator(const Accumulator& other);
  Accumulator(Accumulator&& other) noexcept;
  Accumulator& operator=(const Accumulator& other);
  Accumulator& operator=(Accumulator&& other) noexcept;
  /// @}
  ~Accumulator();

  /// Adds the elements of x; for the operations on one vector. O(n) time.
  /// Throws InvalidArgument if the operation takes two vectors or the view is malformed.
  void add(const VectorView& x, const Context& context = {});

  /// Adds one number; for the operations on one vector. To add a vector takes a few nanoseconds for each
  /// element less.
  template <Element T>
  void add(T value) {
    add(VectorView(&value, 1));
  }

  /// Adds the pairs (x_i, y_i); for `dot` and `weighted_mean` (where y holds the weights).
  /// On the CPU the types may differ: each element is the number that it is. Throws InvalidArgument if the
  /// operation takes one vector, or if the sizes differ.
  void add(const VectorView& x, const VectorView& y, const Context& context = {});

  /// Adds the pair (x, y).
  template <Element X, Element Y>
  void add(X x, Y y) {
    add(VectorView(&x, 1), VectorView(&y, 1));
  }

  /// Adds all that `other` has gathered. Throws InvalidArgument if it is for another operation.
  void merge(const Accumulator& other);

  /// As add(value).
  template <Element T>
  Accumulator& operator+=(T value) {
    add(value);
    return *this;
  }
  /// As merge().
  Accumulator& operator+=(const Accumulator& other) {
    merge(other);
    return *this;
  }
  /// What both have gathered. Throws as merge() does.
  [[nodiscard]] friend Accumulator operator+(Accumulator a, const Accumulator& b) {
    a.merge(b);
    return a;
  }

  /// As given to the constructor.
  [[nodiscard]] Operation operation() const;
  /// Number of elements (or pairs) added.
  [[nodiscard]] std::int64_t count() const;

  /// The result, rounded once to R. `ddof` is used by the variance, standard deviation and standard error
  /// only: the variance's divisor is n - ddof; see ReduceOptions. Throws InvalidArgument for the minimum,
  /// maximum or range of nothing (NaN in `statistics`), and for an accumulator of `statistics` if no
  /// operation is named, since it holds many results.
  ///
  /// R may be an integer type for sum, abs_sum, dot, minimum, maximum and range: then the result is exact.
  /// Throws InvalidArgument if it is not a whole number, OverflowError if it is NaN, infinite or does not fit
  /// R (Overflow::wrap: a finite one is taken modulo 2^bits instead).
  template <Element R = double>
  [[nodiscard]] R result(std::optional<std::int64_t> ddof = {}, Overflow overflow = Overflow::error) const {
    return result<R>(operation(), ddof, overflow);
  }
  /// The result of one of the operations whose sums the accumulator has: its own; any one-vector operation
  /// for `statistics`; sum and mean of each other; minimum, maximum and range of each other; two_norm and
  /// root_mean_square of each other; variance, standard deviation and standard error of each other, and of
  /// these all four before too. InvalidArgument for any other.
  template <Element R = double>
  [[nodiscard]] R result(Operation operation, std::optional<std::int64_t> ddof = {},
                         Overflow overflow = Overflow::error) const {
    return rounded(operation, element_type_of<R>, ddof, overflow).template as<R>();
  }
  /// The same with the type chosen at run time.
  [[nodiscard]] Scalar rounded(Operation operation, ElementType type, std::optional<std::int64_t> ddof = {},
                               Overflow overflow = Overflow::error) const;

  /// Every digit of the exact result before rounding, as a decimal number
  /// ("0.1000000000000000055511151231257827..."), a quotient "a / b" for mean, variance and weighted mean,
  /// "sqrt(a)" for the norm, "sqrt(a / b)" for root mean square, standard deviation and error; "nan", "inf",
  /// "-inf".
  [[nodiscard]] std::string exact(Operation operation, std::optional<std::int64_t> ddof = {}) const;

  /// The state as bytes: fixed little-endian layout, versioned (docs/serialisation.md). Not larger than 4
  /// KiB.
  [[nodiscard]] std::vector<std::byte> serialise() const;
  /// Reads back what serialise() made, here or on any other machine.
  /// Throws DataError if the bytes are not exactly one valid state; hostile input is safe.
  [[nodiscard]] static Accumulator deserialise(std::span<const std::byte> bytes);

 private:
  friend class AccumulatorArray;
  friend class RunningScan;
  struct FOLDLINE_HIDDEN State;
  explicit Accumulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace foldline
